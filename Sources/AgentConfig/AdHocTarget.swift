// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A target on the command line that cannot be read: a usage error.
package struct AdHocTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Lower case, no full stop.
  package var message: String
  package var hint: String?

  /// - Parameter message: may repeat the target; what stands before an @ in it may be a password and is left out.
  init(message: String, hint: String?) {
    self.message = withoutUserInfo(message)
    self.hint = hint
  }

  package var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}

extension CheckDefinition {
  /// A check from a target such as `https://example.com`, `tcp://db:5432?dialog=postgres`, `tls://host:25?starttls=smtp`,
  /// `ping://host?count=10` or `dns://1.1.1.1/example.com?type=AAAA`; `dns:///name` asks the system's resolvers.
  ///
  /// The name is the target without its query, but with a dns question's type. Values are judged by `MonitoringCheck.init` as everywhere.
  package init(adHoc target: String) throws(AdHocTargetError) {
    guard let mark = target.firstRange(of: "://") else {
      throw AdHocTargetError(
        message: "\(quoted(target)) is neither the name of a check nor a target",
        hint:
          "targets: https://host/path, tcp://host:port, tls://host:port, dns://server/name?type=A, ping://host"
      )
    }
    self.init()
    let scheme = target[..<mark.lowerBound].lowercased()
    let rest = target[mark.upperBound...]
    // Cut where a name would be too long: what the target is stands in the result all the same.
    name = String(target.prefix { $0 != "?" && $0 != "#" }).printable(maxBytes: CheckLimits.nameBytes)
    switch scheme {
    case "http", "https":
      type = "http"
      url = target
    case "tcp", "tls":
      type = scheme
      let (place, options) = try split(rest, scheme: scheme, known: scheme == "tcp" ? tcpOptions : tlsOptions)
      try endpoint(place, scheme: scheme)
      startTLS = options["starttls"]
      dialogPreset = options["dialog"]
      tlsEnabled = try flag(options, "tls")
    case "dns":
      type = "dns"
      try question(rest)
    case "ping":
      type = "ping"
      let (place, options) = try split(rest, scheme: scheme, known: pingOptions)
      host = try bareHost(place)
      count = try number(options, "count")
      size = try number(options, "size")
      port = try number(options, "port")
      pingMethod = options["method"]
    default:
      throw AdHocTargetError(
        message: "\(quoted(target.prefix { $0 != "?" })) has the unknown scheme \(quoted(scheme))",
        hint: nearest(to: scheme, among: ["http", "https", "tcp", "tls", "dns", "ping"]).map {
          "did you mean \($0)://?"
        }
          ?? "one of http, https, tcp, tls, dns, ping")
    }
  }

  private mutating func endpoint(_ rest: Substring, scheme: String) throws(AdHocTargetError) {
    let usage = usages[scheme] ?? ""
    try refusePath(rest, usage: usage)
    let text = String(rest.hasSuffix("/") ? rest.dropLast() : rest)
    guard let endpoint = Endpoint(text, defaultPort: scheme == "tls" ? 443 : nil) else {
      let isPortless = Endpoint(text, defaultPort: 1) != nil
      throw AdHocTargetError(
        message: isPortless
          ? "\(quoted(scheme + "://" + text)) has no port"
          : "\(quoted(scheme + "://" + text)) is no host and port",
        hint: usage)
    }
    host = endpoint.host
    // A tls target without a port has that of its protocol.
    if scheme == "tcp" || Endpoint(text, defaultPort: nil) != nil { port = Int(endpoint.port) }
  }

  private func bareHost(_ rest: Substring) throws(AdHocTargetError) -> String {
    try refusePath(rest, usage: usages["ping"] ?? "")
    var host = rest.hasSuffix("/") ? rest.dropLast() : rest
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if IPAddress(host) == nil, host.contains(":") {
      throw AdHocTargetError(
        message: "\(quoted("ping://" + host)) has a port; a ping has none",
        hint: "ping://host, or ping://host?method=tcp&port=443")
    }
    return String(host)
  }

  private func refusePath(_ rest: Substring, usage: String) throws(AdHocTargetError) {
    let tail = rest.drop { !"/?#".contains($0) }
    guard tail.isEmpty || tail == "/" else {
      throw AdHocTargetError(message: "\(quoted(tail)) has no place in this target", hint: usage)
    }
  }

  private mutating func question(_ rest: Substring) throws(AdHocTargetError) {
    let usage = usages["dns"] ?? ""
    guard let slash = rest.firstIndex(of: "/") else {
      throw AdHocTargetError(
        message: "\(quoted("dns://" + rest)) names no server and no question", hint: usage)
    }
    server = slash == rest.startIndex ? nil : String(rest[..<slash])
    let (question, options) = try split(rest[rest.index(after: slash)...], scheme: "dns", known: dnsOptions)
    guard !question.isEmpty else {
      throw AdHocTargetError(message: "\(quoted("dns://" + rest)) asks for no name", hint: usage)
    }
    queryName = String(question)
    queryType = options["type"]
    queryClass = options["class"]
    transport = options["transport"]
    queryRecursion = try flag(options, "recursion")
    queryDNSSEC = try flag(options, "dnssec")
    if let queryType { name = (name ?? "") + " " + queryType.uppercased() }
    name = name?.printable(maxBytes: CheckLimits.nameBytes)
  }
}

private let tcpOptions: Set = ["dialog", "starttls", "tls"]
private let tlsOptions: Set = ["starttls"]
private let dnsOptions: Set = ["type", "class", "transport", "recursion", "dnssec"]
private let pingOptions: Set = ["count", "size", "method", "port"]

private let usages = [
  "tcp": "tcp://host:port, such as tcp://db:5432 or tcp://mail:25?dialog=smtp",
  "tls": "tls://host:port, such as tls://mail:25?starttls=smtp; the port may be left out",
  "dns": "dns://server/name?type=A; dns:///name asks the system's resolvers",
  "ping": "ping://host, such as ping://192.0.2.1?count=10",
]

/// What stands before the question mark, and the options behind it, each a key of the check.
private func split(
  _ rest: Substring, scheme: String, known: Set<String>
) throws(AdHocTargetError) -> (place: Substring, options: [String: String]) {
  let mark = rest.firstIndex(of: "?") ?? rest.endIndex
  var options: [String: String] = [:]
  for part in rest[mark...].dropFirst().split(separator: "&") {
    let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard pair.count == 2, known.contains(pair[0]), options[pair[0]] == nil, !pair[1].isEmpty else {
      throw AdHocTargetError(
        message: "\(quoted(part)) is no option of a \(scheme) target",
        hint:
          "options: \(known.sorted().map { $0 + "=…" }.joined(separator: ", ")), each once; others with --with"
      )
    }
    options[pair[0]] = pair[1]
  }
  return (rest[..<mark], options)
}

private func flag(_ options: [String: String], _ name: String) throws(AdHocTargetError) -> Bool? {
  switch options[name] {
  case nil: return nil
  case "true": return true
  case "false": return false
  case let text?:
    throw AdHocTargetError(message: "\(name) must be true or false, found \(quoted(text))", hint: nil)
  }
}

private func number(_ options: [String: String], _ name: String) throws(AdHocTargetError) -> Int? {
  guard let text = options[name] else { return nil }
  if text.utf8.count <= 9, let value = Int(text), String(value) == text { return value }
  throw AdHocTargetError(message: "\(name) must be a whole number, found \(quoted(text))", hint: nil)
}

/// `http://user:password@host` as `http://<redacted>@host`.
private func withoutUserInfo(_ text: String) -> String {
  guard let mark = text.firstRange(of: "://") else { return text }
  let authority = text[mark.upperBound...].prefix { !"/?#\" ".contains($0) }
  guard let at = authority.lastIndex(of: "@") else { return text }
  return text[..<mark.upperBound] + Redacted.mark + text[at...]
}
