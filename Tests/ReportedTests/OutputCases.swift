import Testing

/// Documents that draw much at once.
@Suite struct OutputCases {
    @Test("a document with two hundred outputs writes them all")
    func manyOutputs() throws {
        let program = Program()
        let outputs = (0..<200).map { index in
            "{ \"path\": \"\(index).png\", \"node\": { \"effect\": \"image.canvas\", \"size\": [4, 4], \"color\": \"red\" } }"
        }
        try program.write("job.json", "{ \"labelpipe\": 1, \"outputs\": [ \(outputs.joined(separator: ",\n")) ] }")
        let ending = try program.run("run", "job.json", "--output", "out")
        #expect(ending.code == 0, "\(ending.errors)")
        for index in 0..<200 { #expect(program.exists("out/\(index).png")) }
    }
}
