import Synchronization

/// A value that is made when it is first needed, by one thread; a failure is tried again by the next.
///
/// What making it needs is kept until then, and no longer.
final class Once<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case waiting(@Sendable () throws -> Value)
        case made(Value)
    }

    private let state: Mutex<State>

    init(_ make: @escaping @Sendable () throws -> Value) { state = Mutex(.waiting(make)) }

    func get() throws -> Value {
        try state.withLock { state in
            switch state {
            case .made(let value): return value
            case .waiting(let make):
                let value = try make()
                state = .made(value)
                return value
            }
        }
    }
}
