import Testing
import TextPlugin

/// Numbers measured with Debian's DejaVu at 100 px, by other programs.
@Suite struct WidthTests {
    @Test(arguments: [
        ("AV", 130.4), ("To", 105.3), ("office", 274.4), ("%", 95.0), ("سلام", 205.4), ("لا", 57.0), ("مرحبا", 231.2),
        ("Tom & Jerry", 574.9), ("50% off", 384.1), ("50 off", 289.1), ("100%", 285.9), ("100", 190.9), ("C:\\new", 343.9),
        ("@", 100.0),
    ])
    func advance(text: String, expected: Double) throws {
        #expect(abs(try width(text) - expected) <= 0.06, "\(text)")
    }
}
