import Glibc

/// How many files this process may have open, shared out among pictures: each holds one for each of its outputs.
struct Descriptors {
    /// What the run itself, its workers and their pipes take beside outputs.
    private static let reserve = 128
    private let budget: Int
    /// For one picture.
    let each: Int

    /// Raises the process's limit as far as it may where that is too low.
    ///
    /// - Parameters:
    ///   - each: files that one picture has open.
    ///   - jobs: pictures at once.
    /// **Errors.** Not even one picture can be drawn.
    init(each: Int, jobs: Int) throws(Stop) {
        self.each = each
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        let wanted = rlim_t(Self.reserve + jobs * (8 + 4 * each))
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else {
            budget = each
            return
        }
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        let most = Int(min(limit.rlim_cur, rlim_t(Int32.max)))
        budget = max(most - Self.reserve, most / 2)
        guard each <= budget else {
            throw Stop(
                .limit, "a picture has \(each) outputs, and this process may have \(limit.rlim_cur) files open in all",
                help: ["ulimit -n \(each + Self.reserve) or more", "or fewer outputs in one document"])
        }
    }

    /// Whether one more picture has room beside others.
    func hasRoom(beside pictures: Int) -> Bool { pictures == 0 || (pictures + 1) * each <= budget }
}
