/// Who may talk to the live page's server: the page itself, and nobody who only happens to run in the same browser.
///
/// Any page on the web can send requests to 127.0.0.1. So the path begins with a secret that only the printed address has, the
/// host has to be the one that was printed (a name that was rebound to 127.0.0.1 is another), and a request that says from
/// where it comes has to come from here.
struct Gate: Sendable {
    let port: Int
    /// 32 hexadecimal digits by chance.
    let token: String

    static func makeToken() -> String {
        var text = ""
        for _ in 0..<2 {
            let part = String(UInt64.random(in: .min ... .max), radix: 16)
            text += String(repeating: "0", count: 16 - part.count) + part
        }
        return text
    }

    var address: String { "http://127.0.0.1:\(port)/\(token)/" }

    /// What is asked for, `check`; nil: refused.
    func name(of request: HTTPRequest) -> String? {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = request.host, hosts.contains(host) else { return nil }
        if let origin = request.origin { guard origin == "http://\(host)" else { return nil } }
        if let site = request.site { guard site == "same-origin" || site == "none" else { return nil } }
        let start = "/\(token)/"
        guard request.path.utf8.count >= start.utf8.count, isSame(request.path.utf8.prefix(start.utf8.count), start.utf8) else {
            return nil
        }
        // What changes something says where it comes from: every browser sends an origin with it.
        if request.method == "POST" { guard request.origin != nil else { return nil } }
        return String(decoding: request.path.utf8.dropFirst(start.utf8.count), as: UTF8.self)
    }

    /// Takes as long whatever the first difference is.
    private func isSame(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
        zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
