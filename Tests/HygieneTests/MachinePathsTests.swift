import Testing

@Suite("Nothing names a place that only one machine has")
struct MachinePathsTests {
    @Test("in any text file; tests may make paths up")
    func files() throws {
        let files = Tree.files()
        #expect(files.contains("Package.swift"))
        let here = Tree.root.path.hasSuffix("/") ? String(Tree.root.path.dropLast()) : Tree.root.path
        for path in files {
            guard let text = try Tree.text(path) else { continue }
            for place in machinePaths(in: text, isTest: path.hasPrefix("Tests/"), root: here) { Issue.record("\(path):\(place)") }
        }
    }

    @Test(
        "and the checker finds them",
        arguments: [
            ("let a = \"/home/ann/x\"", ["1: /home/"]), ("a\nb /tmp/x /work/y", ["2: /tmp/", "2: /work/"]),
            ("(/root/.cache)", ["1: /root/"]), ("file:///home/ann", ["1: /home/"]), ("${TMPDIR:-/tmp/x}", ["1: /tmp/"]),
            ("see /srv/build/labelpipe/a", ["1: /srv/build/labelpipe"]),
            // Parts of other paths, and the folder itself as a fallback.
            ("https://example.org/home/a $HOME/tmp/ var/tmp/x a_/work/b ${TMPDIR:-/tmp}", []), ("/usr/share/fonts", []),
        ])
    func madeUp(text: String, places: [String]) {
        #expect(machinePaths(in: text, isTest: false, root: "/srv/build/labelpipe") == places)
    }

    @Test("tests may name any folder but the one they lie in")
    func inTests() {
        #expect(machinePaths(in: "/home/ann /tmp/x\n/srv/lp/Tests", isTest: true, root: "/srv/lp") == ["2: /srv/lp"])
    }

    @Test("without git the same files are found")
    func withoutGit() {
        #expect(Set(Tree.files()).isSubset(of: Tree.walked()))
    }
}

/// Where a text names the package's own folder or, unless it is a test, people's home folders and the like.
private func machinePaths(in text: String, isTest: Bool, root: String) -> [String] {
    let suspects = (isTest ? [] : ["/home/", "/root/", "/tmp/", "/work/"]) + [root]
    // Nearly all files have none: look before splitting.
    guard suspects.contains(where: { text.contains($0) }) else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
        suspects.filter { suspect in
            line.ranges(of: suspect).contains { range in
                // A path begins here unless a name or variable stands before it.
                let before = line[..<range.lowerBound].last
                return !(before.map { $0.isLetter || $0.isNumber || "._~}".contains($0) } ?? false)
            }
        }.map { "\(number + 1): \($0)" }
    }
}
