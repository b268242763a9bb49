// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// A request, cut down to what the routes look at. One route has a body, the others refuse it unread.
struct StatusRequest: Sendable {
  enum Method: Sendable {
    case get, head, post, other
  }

  var method: Method
  /// The request line's target, not yet judged.
  var target: String
  /// The Host header, as sent.
  var host: String?
  var hasBody: Bool
  /// The body, for the one route that takes one.
  var body: [UInt8]?
  /// The Authorization header, as sent.
  var authorization: String?
  /// Sec-Fetch-Site: where the page stands that made the browser ask, as the browser says; nil when it does not.
  var fetchSite: String?
  /// The Origin header, as sent.
  var origin: String?
  /// The Cookie headers as one.
  var cookie: String?
  /// A proxy before the agent says that it was asked over TLS.
  var isEncrypted = false
  /// The Accept header, as sent.
  var accept: String?
  /// The Accept-Encoding headers as one; `nil` when none came.
  var acceptEncoding: String?
  /// The Accept-Language headers as one; `nil`: none came.
  var acceptLanguage: String?

  /// Address of the client. `nil` over a unix socket.
  var remote: IPAddress?
  /// A proxy passed the request on: neither its peer nor a socket says where it comes from.
  var isForwarded = false
  /// Address of the proxy's client, by the proxy. `nil` where it names none.
  var forwardedFor: IPAddress?
  /// X-Prometheus-Scrape-Timeout-Seconds, as sent.
  var scrapeTimeout: String?

  /// For who answers in place of blackbox_exporter.
  var isProbe: Bool {
    [Self.probe, Self.lastProbes, Self.exporterHealth, Self.exporterReload, Self.exporterConfig].contains(
      path)
  }

  /// Port of the page, as the browser knows it; `nil` for the usual one of its scheme.
  var port: UInt16? { host.flatMap { AllowedHosts.parts($0) }?.port }

  /// The target without its query.
  var path: String { String(target.prefix { $0 != "?" }) }

  /// Results from another process of this machine. The target is compared as a whole: nothing else is read.
  var isSubmission: Bool { method == .post && target == Self.submission }

  /// A form of one of our pages, which has a short body.
  var isForm: Bool { method == .post && FormPath.all.contains(path) }

  /// The fields of such a form; `nil` where it has none, or they are malformed.
  var form: RequestPath? {
    guard let body, let text = String(validating: body, as: UTF8.self) else { return nil }
    return RequestPath("/?" + text)
  }

  /// A job reports. Nothing else of the address is looked at before.
  var isHeartbeat: Bool { target.hasPrefix(Self.heartbeats) }

  /// Bytes of its body that are kept.
  var keptBody: Int {
    isHeartbeat ? HeartbeatReport.longestBody : isForm ? Self.longestForm : Self.longestBody
  }

  /// Reads what the agent knows.
  var isReading: Bool { method == .get || method == .head }

  /// A request of a supervisor, which has no token.
  var isHealth: Bool { method != .post && (target == "/livez" || target == "/readyz") }

  /// Another member of the group asks for windows.
  var isShare: Bool {
    guard isReading, target.hasPrefix("/api/v1/checks/") else { return false }
    return target.utf8.prefix { $0 != UInt8(ascii: "?") }.suffix(6).elementsEqual("/share".utf8)
  }

  static let heartbeats = "/hb/"
  static let probe = "/probe"
  static let lastProbes = "/probe/last"
  static let exporterHealth = "/-/healthy"
  static let exporterReload = "/-/reload"
  static let exporterConfig = "/config"
  static let submission = "/api/v1/spool/submit"
  /// Bytes such a body may have.
  static let longestBody = 1 << 20
  static let longestForm = 4096

  init(
    method: Method = .get, target: String, host: String? = nil, hasBody: Bool = false,
    authorization: String? = nil, fetchSite: String? = nil, accept: String? = nil
  ) {
    self.accept = accept
    self.authorization = authorization
    self.fetchSite = fetchSite
    self.method = method
    self.target = target
    self.host = host
    self.hasBody = hasBody
  }
}

/// A target taken apart: decoded segments of the path and decoded query items.
struct RequestPath: Sendable {
  var segments: [String]
  private var query: [(name: String, value: String)]

  /// `nil` unless the target is an absolute path whose escapes are whole and give UTF-8.
  init?(_ target: String) {
    guard target.utf8.first == UInt8(ascii: "/") else { return nil }
    let parts = target.utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    segments = []
    for segment in parts[0].split(separator: UInt8(ascii: "/")) {
      guard let text = decoded(segment, plusIsSpace: false) else { return nil }
      segments.append(text)
    }
    query = []
    guard parts.count == 2 else { return }
    for item in parts[1].split(separator: UInt8(ascii: "&")) {
      let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(pair[0], plusIsSpace: true),
        let value = decoded(pair.count == 2 ? pair[1] : pair[0].prefix(0), plusIsSpace: true)
      else { return nil }
      query.append((name, value))
    }
  }

  /// Throws for an item that is given twice, which one reader would take one way and another the other.
  ///
  /// - Parameter lists: items that are meant to be given as often as there are values.
  func refuseRepeated(besides lists: [String] = []) throws(BadRequest) {
    var seen: Set<ByteText> = []
    for item in query where !lists.contains(item.name) && !seen.insert(ByteText(item.name)).inserted {
      throw BadRequest("\(item.name.printable(maxBytes: 64)) is given more than once")
    }
  }

  /// The first item of that name.
  subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  /// Every item of that name, in their order.
  func all(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

  /// `nil` where it is not given. Throws for a value that is no whole number of the range.
  func number(_ name: String, in range: ClosedRange<Int>, default absent: Int) throws(BadRequest) -> Int {
    guard let text = self[name] else { return absent }
    guard let number = Int(text), range.contains(number) else {
      throw BadRequest("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ name: String) throws(BadRequest) -> Bool {
    switch self[name] {
    case nil, "false", "0": false
    case "true", "1", "": true
    default: throw BadRequest("\(name) must be true or false")
    }
  }
}

/// A parameter that makes no sense; the message goes to the client.
struct BadRequest: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

private func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String? {
  let text = String(Substring(text))
  return percentDecoded(plusIsSpace ? text.replacing("+", with: " ") : text)
}

/// Host headers that get an answer.
///
/// A page in a browser can let its own name resolve to 127.0.0.1 and then read what we serve, as if it were its own
/// (DNS rebinding). The browser still sends that name, so it gives itself away.
struct AllowedHosts: Sendable {
  private let names: Set<ByteText>
  private let any: Bool
  /// Listens to other machines.
  private let isRemote: Bool

  /// - Parameter further: of the configuration, lower case.
  init(listen: ListenAddress, further: [String] = []) {
    isRemote = !listen.isLocal
    switch listen {
    case .unix:
      // No browser speaks to a unix socket.
      (names, any) = ([], true)
    case .tcp(let host, _):
      (names, any) = (
        // bounded: a list
        Set((["localhost", "127.0.0.1", "::1", host.lowercased()] + further).map { ByteText($0) }), false
      )
    }
  }

  func contains(_ header: String?) -> Bool {
    if any { return true }
    guard let header, let name = Self.parts(header.lowercased())?.name else { return false }
    // An address is no name that somebody could lead elsewhere; which ones this machine has, others decide.
    return names.contains(ByteText(name))
      || IPAddress(name).map { isRemote || $0.isLoopback } == true
  }

  /// The host of `host`, `host:port` and `[address]:port` (RFC 9110, section 7.2), without brackets, and the port. `nil` for
  /// what is neither: of `localhost:80@evil.example` each reader would take another part.
  static func parts(_ authority: String) -> (name: String, port: UInt16?)? {
    var (host, rest) = (authority[...], Substring())
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[..<close].dropFirst()
      rest = authority[close...].dropFirst()
      guard IPAddress(host)?.version == 6, rest.isEmpty || rest.hasPrefix(":") else { return nil }
    } else if let colon = authority.firstIndex(of: ":") {
      (host, rest) = (authority[..<colon], authority[colon...])
    }
    let port = rest.dropFirst()
    guard !host.isEmpty, port.utf8.count <= 5, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      port.isEmpty || UInt16(port) != nil  // bounded: an optional
    else { return nil }
    return (String(host), UInt16(port))  // bounded: an optional
  }
}
