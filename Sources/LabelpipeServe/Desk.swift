import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeWorker

/// The one place where pixels are ordered: a queue of requests, worked off by the thread that owns the worker, since a worker
/// ends with the thread that started it.
///
/// `@unchecked Sendable`: what changes is behind the mutex; the worker is touched by `serve` alone.
final class Desk: @unchecked Sendable {
    /// A request that waits, and what came of it.
    private final class Order {
        let work: (LoneWorker) -> HTTPResponse
        var response: HTTPResponse?
        init(_ work: @escaping (LoneWorker) -> HTTPResponse) { self.work = work }
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var orders: [Order] = []

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        changed.deallocate()
    }

    /// Waits until it has been worked off.
    func ask(_ work: @escaping (LoneWorker) -> HTTPResponse) -> HTTPResponse {
        let order = Order(work)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        orders.append(order)
        pthread_cond_broadcast(changed)
        while true {
            if let response = order.response { return response }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Works on the calling thread, for as long as the process lives.
    func serve(_ worker: LoneWorker) -> Never {
        while true {
            pthread_mutex_lock(mutex)
            while orders.isEmpty { pthread_cond_wait(changed, mutex) }
            let order = orders.removeFirst()
            pthread_mutex_unlock(mutex)
            let response = order.work(worker)
            pthread_mutex_lock(mutex)
            order.response = response
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
    }
}
