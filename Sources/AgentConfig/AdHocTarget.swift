// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A target on the command line that cannot be read: a usage error.
package struct AdHocTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Lower case, no full stop.
  package var message: String
  package var hint: String?

  /// - Parameter message: may repeat the target; what stands before an @ of its place, or of any quoted word, may be a
  ///   password and is left out.
  init(message: String, hint: String?) {
    let words = message.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    let quotes = words.map { $0.isMultiple(of: 2) ? String($1) : withoutLogin(String($1)) }
    self.message = withoutUserInfo(quotes.joined(separator: "\""))
    self.hint = hint
  }

  package var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}

extension GivenMap {
  /// The keys that a target gives, such as `https://example.com`, `tcp://db:5432?dialog=postgres`,
  /// `tls://host:25?starttls=smtp`, `ping://host?count=10` or `dns://1.1.1.1/example.com?type=AAAA`; `dns:///name` asks
  /// the system's resolvers.
  ///
  /// The name is the target without its query, but with a dns question's type. Values are judged by
  /// `MonitoringCheck.init` as everywhere.
  ///
  /// - Parameter number: behind the name; `nil`: no other target has it.
  init(adHoc target: String, number: Int? = nil) throws(AdHocTargetError) {
    guard let mark = target.firstRange(of: "://") else {
      throw AdHocTargetError(
        message: "\(masked(target)) is neither the name of a check nor a target",
        hint:
          "targets: https://host/path, tcp://host:port, tls://host:port, dns://server/name?type=A, ping://host"
      )
    }
    self.init()
    let scheme = target[..<mark.lowerBound].lowercased()
    let rest = target[mark.upperBound...]
    // Cut where a name would be too long: what the target is stands in the result all the same.
    var name = String(target.prefix { $0 != "?" && $0 != "#" })
    try Self.refuseLogin(rest, scheme)
    var end = number.map { " (\($0))" } ?? ""
    give("type", .text(scheme == "https" ? "http" : scheme))
    switch scheme {
    case "http", "https": give("url", .text(target))
    case "tcp", "tls":
      let type: CheckType = scheme == "tcp" ? .tcp : .tls
      let (place, options) = try split(rest, type, known: type == .tcp ? tcpOptions : ["starttls"])
      try endpoint(place, scheme: scheme)
      entries += options
    case "dns":
      if let type = try question(rest) { end = " " + type.uppercased() + end }
    case "ping":
      let (place, options) = try split(rest, .ping, known: ["count", "size", "method", "port"])
      give("host", .text(try bareHost(place)))
      entries += options
    default:
      throw AdHocTargetError(
        message:
          "\(quoted(withoutLogin(target).prefix { $0 != "?" && $0 != "#" })) has the unknown scheme \(masked(scheme))",
        hint: nearest(to: scheme, among: ["http", "https", "tcp", "tls", "dns", "ping"]).map {
          "did you mean \($0)://?"
        }
          ?? "one of http, https, tcp, tls, dns, ping")
    }
    name = name.printable(maxBytes: max(1, CheckLimits.nameBytes - end.utf8.count)) + end
    give("name", .text(name))
  }

  /// Those of an http target are refused with its URL.
  private static func refuseLogin(_ rest: Substring, _ scheme: String) throws(AdHocTargetError) {
    guard let usage = usages[scheme], let at = rest.lastIndex(of: "@") else { return }
    let shown = "\(scheme)://\(Redacted.mark)\(rest[at...].prefix { $0 != "?" && $0 != "#" })"
    throw AdHocTargetError(
      message: "\(quoted(shown)) has an @; these targets hold no user name and password", hint: usage)
  }

  private func refuseZone(_ place: Substring, scheme: String) throws(AdHocTargetError) {
    guard hasZone(place) else { return }
    throw AdHocTargetError(
      message: "\(masked(scheme + "://" + place)) has a zone, and zones are not supported",
      hint: "use an address that is not link-local, or a name")
  }

  private mutating func give(_ name: String, _ value: Given.Value) { entries.append((name, Given(value))) }

  private mutating func endpoint(_ rest: Substring, scheme: String) throws(AdHocTargetError) {
    let usage = usages[scheme] ?? ""
    try refusePath(rest, usage: usage)
    let text = String(rest.hasSuffix("/") ? rest.dropLast() : rest)
    try refuseZone(text[...], scheme: scheme)
    guard let endpoint = Endpoint(text, defaultPort: scheme == "tls" ? 443 : nil) else {
      let isPortless = Endpoint(text, defaultPort: 1) != nil
      throw AdHocTargetError(
        message: isPortless
          ? "\(masked(scheme + "://" + text)) has no port"
          : "\(masked(scheme + "://" + text)) is no host and port",
        hint: usage)
    }
    give("host", .text(endpoint.host))
    // A tls target without a port has that of its protocol.
    if scheme == "tcp" || Endpoint(text, defaultPort: nil) != nil {
      give("port", .integer(Int(endpoint.port)))
    }
  }

  private func bareHost(_ rest: Substring) throws(AdHocTargetError) -> String {
    try refusePath(rest, usage: usages["ping"] ?? "")
    var host = rest.hasSuffix("/") ? rest.dropLast() : rest
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    try refuseZone(host, scheme: "ping")
    if IPAddress(host) == nil, host.contains(":") {
      guard host.split(separator: ":", omittingEmptySubsequences: false).count == 2 else {
        throw AdHocTargetError(
          message: "\(masked("ping://" + host)) is no host", hint: usages["ping"])
      }
      throw AdHocTargetError(
        message: "\(masked("ping://" + host)) has a port; a ping has none",
        hint: "ping://host, or ping://host?method=tcp&port=443")
    }
    return String(host)
  }

  private func refusePath(_ rest: Substring, usage: String) throws(AdHocTargetError) {
    let tail = rest.drop { !"/?#".contains($0) }
    guard tail.isEmpty || tail == "/" else {
      throw AdHocTargetError(message: "\(masked(tail)) has no place in this target", hint: usage)
    }
  }

  /// - Returns: the type that is asked for, if it is said.
  private mutating func question(_ rest: Substring) throws(AdHocTargetError) -> String? {
    let usage = usages["dns"] ?? ""
    guard let slash = rest.firstIndex(of: "/") else {
      throw AdHocTargetError(
        message: "\(masked("dns://" + rest)) names no server and no question", hint: usage)
    }
    try refuseZone(rest[..<slash], scheme: "dns")
    if slash != rest.startIndex { give("server", .text(String(rest[..<slash]))) }
    let (question, options) = try split(rest[rest.index(after: slash)...], .dns, known: dnsOptions)
    guard !question.isEmpty else {
      throw AdHocTargetError(message: "\(masked("dns://" + rest)) asks for no name", hint: usage)
    }
    entries += options.filter { $0.name == "transport" }
    let query = [("name", Given(.text(String(question))))] + options.filter { $0.name != "transport" }
    give("query", .map(GivenMap(query)))
    return GivenMap(options)["type"]?.text
  }
}

private let tcpOptions: Set = ["dialog", "starttls", "tls"]
private let dnsOptions: Set = ["type", "class", "transport", "recursion", "dnssec"]

private let usages = [
  "tcp": "tcp://host:port, such as tcp://db:5432 or tcp://mail:25?dialog=smtp",
  "tls": "tls://host:port, such as tls://mail:25?starttls=smtp; the port may be left out",
  "dns": "dns://server/name?type=A; dns:///name asks the system's resolvers",
  "ping": "ping://host, such as ping://192.0.2.1?count=10",
]

/// The part before the question mark, and the options behind it, each a key of the check or of its question.
private func split(
  _ rest: Substring, _ type: CheckType, known: Set<String>
) throws(AdHocTargetError) -> (place: Substring, options: [(name: String, value: Given)]) {
  let mark = rest.firstIndex(of: "?") ?? rest.endIndex
  var options = GivenMap()
  for part in rest[mark...].dropFirst().split(separator: "&") {
    let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard pair.count == 2, known.contains(pair[0]), options[pair[0]] == nil, !pair[1].isEmpty else {
      throw AdHocTargetError(
        message: "\(masked(part)) is no option of a \(type.rawValue) target",
        hint:
          "options: \(known.sorted().map { $0 + "=…" }.joined(separator: ", ")), each once; others with --with"
      )
    }
    options.entries.append((pair[0], Given(try value(pair[1], of: pair[0], type))))
  }
  return (rest[..<mark], options.entries)
}

private func value(
  _ text: String, of name: String, _ type: CheckType
) throws(AdHocTargetError) -> Given.Value {
  var table = KeyTable.check(type)
  if type == .dns, name != "transport", case .map(let query)? = table["query"]?.value { table = query }
  switch table[name]?.value {
  case .flag, .either(.flag, _):
    if ["true", "false"].contains(text) { return .flag(text == "true") }
    throw AdHocTargetError(message: "\(name) must be true or false, found \(masked(text))", hint: nil)
  case .integer:
    if text.utf8.count <= 9, let number = Int(text), String(number) == text { return .integer(number) }
    throw AdHocTargetError(message: "\(name) must be a whole number, found \(masked(text))", hint: nil)
  default: return .text(text)
  }
}

/// In quotes, and cut only after a login was left out.
private func masked(_ text: some StringProtocol) -> String { quoted(withoutLogin(String(text))) }

/// `http://user:password@host` as `http://<redacted>@host`, wherever it stands in the text.
private func withoutUserInfo(_ text: String) -> String {
  guard let mark = text.firstRange(of: "://") else { return text }
  let authority = text[mark.upperBound...].prefix { !"/?#\" ".contains($0) }
  guard let at = authority.lastIndex(of: "@") else { return text }
  return text[..<mark.upperBound] + Redacted.mark + text[at...]
}
