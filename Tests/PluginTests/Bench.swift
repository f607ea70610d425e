import Glibc
import Testing

/// A folder of its own with what a test of plugins needs, and the programs that it runs.
final class Bench {
    let path: String
    let labelpipe: String

    init() throws {
        labelpipe = String(cString: try #require(getenv("LABELPIPE"), "Scripts/test says where the program is"))
        var template = Array("/tmp/labelpipe-plugins-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        path = String(cString: try #require(made))
    }

    deinit { _ = try? shell("cd / && rm -rf '\(path)'") }

    /// The package's folder.
    static let root: String = {
        var path = #filePath
        for _ in 0..<3 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
        return path
    }()

    static let include = root + "/Sources/CLabelpipePlugin/include"

    /// The folder with the built examples.
    static func examples() throws -> String {
        String(cString: try #require(getenv("LABELPIPE_EXAMPLE_PLUGINS"), "Scripts/test builds them"))
    }

    struct Ended {
        /// Both streams.
        let text: String
        let code: Int32
    }

    /// A command line of sh in the folder; HOME and caches are the folder's own.
    @discardableResult
    func shell(_ command: String) throws -> Ended {
        let script = """
            cd '\(path)' && export HOME='\(path)' XDG_CACHE_HOME='\(path)/cache' XDG_DATA_HOME='\(path)/data' \
            FONTCONFIG_FILE='\(Self.root)/Tests/Fixtures/fonts/fonts.conf'
            unset LABELPIPE_PLUGIN_PATH
            \(command)
            """
        guard let stream = popen("( \(script)\n) 2>&1", "r") else { throw Failure() }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        let status = pclose(stream)
        return Ended(text: String(decoding: bytes, as: UTF8.self), code: status & 0x7F == 0 ? (status >> 8) & 0xFF : -1)
    }

    struct Failure: Error {}

    func run(_ arguments: String) throws -> Ended { try shell("timeout 120 '\(labelpipe)' \(arguments)") }

    func write(_ name: String, _ text: String) throws {
        let file = try #require(fopen(path + "/" + name, "w"))
        fputs(text, file)
        fclose(file)
    }

    /// Builds a plugin in C; returns the file's name.
    func build(_ name: String, _ source: String, flags: String = "") throws -> String {
        try write("\(name).c", source)
        let built = try shell(
            "gcc -std=c99 -O1 -fPIC -shared -fvisibility=hidden \(flags) -I'\(Self.include)' \(name).c -o \(name).so $(pkg-config --cflags --libs vips) -lm"
        )
        #expect(built.code == 0, "\(built.text)")
        return "./\(name).so"
    }
}
