import Fuzzing
import Glibc

/// libFuzzer's entry. Which target: `LABELPIPE_FUZZ_TARGET`.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let target: FuzzTarget = {
    let name = getenv("LABELPIPE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("LABELPIPE_FUZZ_TARGET: one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    }
    return target
}()
