import Glibc

/// Time that only moves forward, for deadlines and rates.
package enum Clock {
    /// **Units.** Seconds since some moment.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
