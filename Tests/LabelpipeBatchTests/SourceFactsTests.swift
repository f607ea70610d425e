import Diagnostics
import Glibc
import LabelpipeWorker
import Testing

@Suite struct SourceFactsTests {
    @Test("a file whose bytes cannot be read has no facts: without a hash it would pass for another")
    func unreadableBytes() throws {
        var template = Array("/tmp/labelpipe-facts-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        try #require(file >= 0)
        defer {
            close(file)
            unlink(template)
        }
        try #require(Glibc.write(file, "some bytes", 10) == 10)
        let path = BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
        let source = try OpenSource.open(path)
        defer { source.close() }
        for hash in [ProbeRequest.Hash.ends, .whole] { #expect(try SourceFacts(source, hash: hash).hash != nil) }
        // In its place a descriptor of the same file that may not read.
        let other = open(template, O_WRONLY)
        try #require(other >= 0 && dup2(other, source.descriptor) >= 0)
        close(other)
        for hash in [ProbeRequest.Hash.ends, .whole] {
            let error = #expect(throws: Diagnostics.self) { try SourceFacts(source, hash: hash) }
            #expect(error?.all.first?.code == "unreadable")
        }
        #expect(try SourceFacts(source, hash: nil).hash == nil)
    }
}
