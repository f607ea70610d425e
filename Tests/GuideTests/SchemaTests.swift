import TestSupport
import Testing

/// The schema of the delivered program, in the hands of a validator that others wrote.
@Suite("labelpipe schema") struct DocumentSchemaTests {
    @Test("takes every document of Pipelines and Documentation, and refuses one with a slip")
    func documents() throws {
        let bench = Workbench()
        try writeFile("\(bench.path)/slip.json", Array(#"{ "labelpipe": 1, "output": { "effect": "image.sorce" } }"#.utf8))
        let result = bench.run(
            """
            labelpipe schema > schema.json
            find '\(Workbench.root)/Pipelines' '\(Workbench.root)/Documentation' slip.json -name '*.json' | sort > names
            /usr/bin/python3 -c '
            import json
            for name in open("names").read().split("\\n")[:-1]:
                print(json.dumps({"id": name, "document": open(name, encoding="utf-8").read()}))
            ' | /usr/bin/python3 '\(Workbench.root)/Tests/LabelpipeEngineTests/validate.py' schema.json > verdicts
            wc -l < names
            wc -l < verdicts
            grep -v '"problems": \\[\\]' verdicts
            """)
        let lines = result.printed.split(separator: "\n").map(String.init)
        try #require(lines.count >= 3 && lines[0] == lines[1] && Int(lines[0]) ?? 0 > 20, "\(result.printed)")
        #expect(lines.count == 3 && lines[2].contains("slip.json") && lines[2].contains("/output/effect"), "\(result.printed)")
    }
}
