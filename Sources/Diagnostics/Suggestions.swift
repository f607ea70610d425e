/// Finds the name that was probably meant.
public enum Suggestions {
    /// The candidate nearest to a misspelt name; nil when none is near.
    ///
    /// Upper and lower case and the separators `-`, `_`, `.`, `/` and blank do not count: `topLeft` is near `top-left`. Beyond that, up to
    /// one slip in names of three letters, two in six, three in nine: a letter left out, added or replaced, or two neighbours
    /// swapped. Before that, what the name means elsewhere: `fontSize` is `size`. Failing that, the one candidate of which the name is a whole part: `outline` of `stroke.outline`.
    /// The result does not depend on the order of the candidates.
    ///
    /// **Cost.** The product of both lengths for candidates of about the same length, nothing for the others.
    /// **Source.** Optimal string alignment distance (Damerau 1964).
    public static func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
        let wanted = folded(name)
        guard !wanted.isEmpty else { return nil }
        var best: (candidate: String, rank: Rank)?
        var holders: Set<String> = []
        for candidate in candidates {
            let letters = folded(candidate)
            let slips = min(max(wanted.count, letters.count) / 3, 3)
            if let distance = distance(wanted, letters, limit: slips) {
                let rank = Rank(
                    distance: distance, otherStart: wanted.first != letters.first,
                    lengthDifference: abs(wanted.count - letters.count), name: candidate)
                if best.map({ rank < $0.rank }) ?? true { best = (candidate, rank) }
            }
            if wanted.count > 2,
                candidate.unicodeScalars.split(whereSeparator: isSeparator).contains(where: { folded($0) == wanted })
            {
                holders.insert(candidate)
            }
        }
        if let best, best.rank.distance == 0 { return best.candidate }
        if let meanings = Synonyms.meanings[wanted], let meant = meanings.first(where: { candidates.contains($0) }) {
            return meant
        }
        return best?.candidate ?? (holders.count == 1 ? holders.first : nil)
    }

    /// The candidate that a name is but for one slip, where it begins alike: for names that are not meant to be any of them, most of
    /// the time.
    package static func slip(of name: String, in candidates: some Sequence<String>) -> String? {
        let wanted = folded(name)
        return candidates.map { (name: $0, letters: folded($0)) }.filter { candidate in
            let length = max(wanted.count, candidate.letters.count)
            guard wanted.first == candidate.letters.first, let distance = distance(wanted, candidate.letters, limit: 1) else {
                return false
            }
            return distance == 0 || length > 3
        }.min { $0.name < $1.name }?.name
    }

    private struct Rank: Comparable {
        let distance: Int
        let otherStart: Bool
        let lengthDifference: Int
        let name: String

        static func < (one: Rank, other: Rank) -> Bool {
            if one.distance != other.distance { return one.distance < other.distance }
            if one.otherStart != other.otherStart { return other.otherStart }
            if one.lengthDifference != other.lengthDifference { return one.lengthDifference < other.lengthDifference }
            return one.name < other.name
        }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", "_", ".", "/", " ": true
        default: false
        }
    }

    static func folded(_ name: String) -> [UInt32] { folded(name.unicodeScalars[...]) }

    private static func folded(_ name: Substring.UnicodeScalarView) -> [UInt32] {
        name.lazy.filter { !isSeparator($0) }.map { 65...90 ~= $0.value ? $0.value + 32 : $0.value }
    }

    /// The distance, nil when it is more than `limit`.
    private static func distance(_ a: [UInt32], _ b: [UInt32], limit: Int) -> Int? {
        guard abs(a.count - b.count) <= limit else { return nil }
        if a == b { return 0 }
        guard limit > 0 else { return nil }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        var row = last
        for i in 1...max(a.count, 1) where i <= a.count {
            row[0] = i
            var least = i
            for j in 1...max(b.count, 1) where j <= b.count {
                let same = a[i - 1] == b[j - 1]
                var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, beforeLast[j - 2] + 1) }
                row[j] = cost
                least = min(least, cost)
            }
            guard least <= limit else { return nil }
            (beforeLast, last, row) = (last, row, beforeLast)
        }
        return last[b.count] <= limit ? last[b.count] : nil
    }
}
