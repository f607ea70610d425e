import LabelpipeDrawing
import LabelpipeKit

/// A way to make an output of a copy of its source, encoding anew what the label touches and nothing else.
protocol Splicing {
    /// - Returns: why not, where it cannot be; the output is empty then.
    /// - Errors: `SpliceError.damaged` where only a decoder can say whether the source is good, `.undecodable` where one has said it.
    func splice(_ picture: Picture, to descriptor: Int32) throws -> Swift.Result<Saving.Report, Obstacle>
}

/// Why a picture was not spliced.
struct Obstacle: Error {
    let reason: String
    /// The source is not as it should be, though a decoder may take it: worth a warning.
    var isDamage = false
}
