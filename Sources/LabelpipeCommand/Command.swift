import Diagnostics
import Glibc
import LabelpipeBatch
import LabelpipeKit
import LabelpipeWorker

/// The command line as a function: arguments in, text on two streams and a code out. Knows no effect.
public struct Command {
    private let session: Session

    /// With collecting streams, for tests.
    ///
    /// - Parameters:
    ///   - plugins: what effects there are; called only by what needs them.
    ///   - launch: how workers are started.
    package init(
        plugins: @escaping @Sendable () -> [Plugin], output: Output, errors: Output, launch: Launch = Launch()
    ) {
        session = Session(plugins: plugins, output: output, errors: errors, launch: launch)
    }

    /// Runs the process's own command line and returns the code to exit with.
    ///
    /// The arguments are read as bytes: `CommandLine.arguments` repairs what is no UTF-8, and a repaired name is no file's.
    public static func main(plugins: @escaping @Sendable () -> [Plugin]) -> Int32 {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { pointer in
                Array(UnsafeBufferPointer(start: pointer, count: strlen(pointer))).map { UInt8(bitPattern: $0) }
            }
        }
        // A reader that has gone is told by the write that fails, with a code of ours.
        signal(SIGPIPE, SIG_IGN)
        let command = Command(plugins: plugins, output: Output(descriptor: 1), errors: Output(descriptor: 2))
        return command.run(arguments).number
    }

    /// Runs one command line, without the program's name.
    package func run(_ arguments: [[UInt8]]) -> ExitCode {
        do throws(Stop) {
            let code = try dispatch(arguments)
            if let failure = session.output.failure {
                // A reader that has seen enough (`| head`) is no error.
                return failure == SystemError(EPIPE) ? code : code.combined(with: .unwritable)
            }
            return code
        } catch {
            tell(error)
            return error.code
        }
    }

    private func dispatch(_ arguments: [[UInt8]]) throws(Stop) -> ExitCode {
        guard let first = arguments.first else {
            session.errors.write(HelpText.overview)
            return .usage
        }
        let name = BytePath(first).description
        switch name {
        case "--help", "-h", "help":
            guard name == "help", arguments.count > 1 else {
                session.output.write(HelpText.overview)
                return .done
            }
            return try dispatch([arguments[1], Array("--help".utf8)])
        case "--version":
            session.output.line("labelpipe \(Version.text)")
            return .done
        default: break
        }
        guard let subcommand = Subcommand.all.first(where: { $0.name == name }) else {
            let kind = name.hasPrefix("-") ? "option" : "command"
            let meant = Suggestions.nearest(to: name, in: Subcommand.all.map(\.name) + ["--help", "--version"])
            throw Stop(
                .usage, "labelpipe: unknown \(kind) \"\(name)\"",
                help: meant.map { ["did you mean \"\($0)\"?"] } ?? ["labelpipe --help names them all"])
        }
        var parsed: Parsed
        do throws(UsageError) {
            parsed = try OptionParser.parse(Array(arguments.dropFirst()), subcommand.allFlags)
            if !subcommand.separates {
                parsed.positional += parsed.separated
                parsed.separated = []
            }
            if case .none = subcommand.operands, let first = parsed.positional.first, !parsed.has(.help) {
                throw UsageError("it takes no argument, and \(first) was given")
            }
        } catch {
            throw Stop(error, of: subcommand)
        }
        if parsed.has(.help) {
            session.output.write(HelpText.page(of: subcommand))
            return .done
        }
        return try subcommand.body(parsed, session)
    }

    private func tell(_ stop: Stop) {
        guard !stop.message.isEmpty else { return }
        session.errors.line("error: \(stop.message)")
        for help in stop.help { session.errors.line("  help: \(help)") }
    }
}

extension Stop {
    init(_ error: UsageError, of subcommand: Subcommand) {
        self.init(
            .usage, "labelpipe \(subcommand.name): \(error.message)",
            help: error.help.isEmpty ? ["labelpipe \(subcommand.name) --help"] : error.help)
    }

    /// Findings that have been told already.
    static func told(_ code: ExitCode) -> Stop { Stop(code, "") }
}

/// The program's version.
package enum Version {
    package static let text = "0.1.0"
}
