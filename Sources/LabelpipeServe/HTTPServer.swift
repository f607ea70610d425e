import CMicrohttpd
import Glibc

/// What a browser asks.
struct HTTPRequest: Sendable {
    let method: String
    /// Without the query.
    let path: String
    let host: String?
    let origin: String?
    /// `Sec-Fetch-Site`: from whose page the request comes, as the browser says.
    let site: String?
    /// `X-Known`: the version of the file that the page has.
    let known: String?
    let node: Int?
    let input: Int?
    var body: [UInt8] = []
}

struct HTTPResponse: Sendable {
    var status: UInt32 = 200
    var type = "application/json"
    var headers: [(String, String)] = []
    var body: [UInt8] = []
}

/// A server on the loopback interface, a thread a connection.
///
/// `@unchecked Sendable`: nothing changes after it was started.
final class HTTPServer: @unchecked Sendable {
    private let answer: @Sendable (HTTPRequest) -> HTTPResponse
    private var daemon: OpaquePointer?
    private(set) var port = 0

    /// Bytes of a body; a document has at most 16 MB.
    private static let longestBody = 17 << 20

    init(answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) { self.answer = answer }

    /// False: no port is to be had.
    func start() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemon = lp_http_start(
            { context, connection, url, method, _, upload, size, state in
                Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
                    .take(connection, url, method, upload, size, state)
            },
            { _, _, state, _ in
                guard let pointer = state?.pointee else { return }
                Unmanaged<Arriving>.fromOpaque(pointer).release()
                state?.pointee = nil
            }, context)
        guard let daemon else { return false }
        port = Int(lp_http_port(daemon))
        return port > 0
    }

    deinit { if let daemon { MHD_stop_daemon(daemon) } }

    /// A request whose body is still arriving.
    private final class Arriving {
        var request: HTTPRequest
        var isTooLong = false
        init(_ request: HTTPRequest) { self.request = request }
    }

    private func take(
        _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
        _ upload: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let connection, let url, let method, let state else { return .refused }
        guard let pointer = state.pointee else {
            func header(_ name: String) -> String? { lp_http_header(connection, name).map { String(cString: $0) } }
            func number(_ name: String) -> Int? { lp_http_query(connection, name).flatMap { Int(String(cString: $0)) } }
            let request = HTTPRequest(
                method: String(cString: method), path: String(cString: url), host: header("Host"), origin: header("Origin"),
                site: header("Sec-Fetch-Site"), known: header("X-Known"), node: number("node"), input: number("input"))
            state.pointee = Unmanaged.passRetained(Arriving(request)).toOpaque()
            return .taken
        }
        let arriving = Unmanaged<Arriving>.fromOpaque(pointer).takeUnretainedValue()
        if let size, size.pointee > 0 {
            if arriving.request.body.count + size.pointee > Self.longestBody {
                arriving.isTooLong = true
                arriving.request.body = []
            } else if !arriving.isTooLong, let upload {
                upload.withMemoryRebound(to: UInt8.self, capacity: size.pointee) {
                    arriving.request.body.append(contentsOf: UnsafeBufferPointer(start: $0, count: size.pointee))
                }
            }
            size.pointee = 0
            return .taken
        }
        let response = arriving.isTooLong ? HTTPResponse(status: 413, type: "text/plain") : answer(arriving.request)
        return Self.send(response, on: connection)
    }

    private static func send(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        let headers = [("Content-Type", response.type)] + response.headers
        let texts = headers.flatMap { [strdup($0.0), strdup($0.1)] }
        defer { for text in texts { free(text) } }
        let list = texts.map { UnsafePointer<CChar>($0) } + [nil]
        let result = response.body.withUnsafeBytes {
            lp_http_answer(connection, response.status, $0.baseAddress, $0.count, list)
        }
        return result == 1 ? .taken : .refused
    }
}

extension MHD_Result {
    /// MHD_YES and MHD_NO: how a closed enumeration's cases are called differs between importers.
    fileprivate static var taken: MHD_Result { MHD_Result(rawValue: 1)! }
    fileprivate static var refused: MHD_Result { MHD_Result(rawValue: 0)! }
}
