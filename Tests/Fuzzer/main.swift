import CFuzzerDriver
import Fuzzing
import Glibc

// The package manager gives an executable an entry of its own: libFuzzer is called from there, with its own arguments.
let target: FuzzTarget = {
    let name = getenv("LABELPIPE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("LABELPIPE_FUZZ_TARGET: one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    }
    return target
}()

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        target.run(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    })
