import Synchronization

/// The text left in libvips' error buffer after something succeeded: a failure, but for known lines.
enum ErrorTexts {
    private struct State {
        /// Said while the headers of the files now in work were read, and said again when their pixels are.
        var ofHeaders: [String] = []
        var hasSeenHarmless = false
    }

    private static let state = Mutex(State())

    /// Lines that are no failure, each with what shows it.
    private static let harmless = [
        // A baseline JPEG whose scan header says "coefficients 0 to 0", as some encoders write it.
        "VipsJpeg: Invalid SOS parameters for sequential JPEG"
    ]

    /// Takes what was said while a header was read, and lets it pass from now on.
    static func takeOfHeader() -> [String] {
        let lines = lines()
        state.withLock { state in
            // A worker reads thousands of files one after another; only the last ones matter.
            state.ofHeaders = (state.ofHeaders + lines).suffix(64)
        }
        return lines
    }

    /// Takes the buffer's lines, without harmless ones.
    static func take() -> [String] {
        let lines = lines()
        if lines.isEmpty { return [] }
        return state.withLock { state in
            let failures = lines.filter { !harmless.contains($0) && !state.ofHeaders.contains($0) }
            if failures.count < lines.count { state.hasSeenHarmless = true }
            return failures
        }
    }

    /// Was a harmless line seen since the last call?
    static func takeHasSeenHarmless() -> Bool {
        state.withLock { state in
            defer { state.hasSeenHarmless = false }
            return state.hasSeenHarmless
        }
    }

    private static func lines() -> [String] {
        ErrorBuffer.takeText().split(whereSeparator: \.isNewline).map(String.init)
    }
}
