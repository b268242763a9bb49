// SPDX-License-Identifier: MIT

import Monitoring

/// A target on the command line that cannot be read: a usage error.
package struct AdHocTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Lower case, no full stop.
  package var message: String
  package var hint: String?

  package var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}

extension CheckDefinition {
  /// A check from a target such as `https://example.com`, `tcp://db:5432`, `tls://host:443`, `ping://host` or
  /// `dns://1.1.1.1/example.com?type=AAAA`; `dns:///name` asks the system's resolvers.
  ///
  /// The name is the target without its query. Values are judged by `MonitoringCheck.init` as everywhere.
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
    name = String(target.prefix { $0 != "?" && $0 != "#" })
    switch scheme {
    case "http", "https":
      type = "http"
      url = target
    case "tcp", "tls":
      type = scheme
      try endpoint(rest, scheme: scheme)
    case "dns":
      type = "dns"
      try question(rest)
    case "ping":
      type = "ping"
      host = try bareHost(rest)
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
    let usage =
      scheme == "tcp" ? "tcp://host:port, such as tcp://db:5432" : "tls://host:port; the port may be left out"
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
    port = Int(endpoint.port)
  }

  private func bareHost(_ rest: Substring) throws(AdHocTargetError) -> String {
    try refusePath(rest, usage: "ping://host")
    var host = rest.hasSuffix("/") ? rest.dropLast() : rest
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if IPAddress(host) == nil, host.contains(":") {
      throw AdHocTargetError(
        message: "\(quoted("ping://" + host)) has a port; a ping has none", hint: "ping://host")
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
    let usage = "dns://server/name?type=A; dns:///name asks the system's resolvers"
    guard let slash = rest.firstIndex(of: "/") else {
      throw AdHocTargetError(
        message: "\(quoted("dns://" + rest)) names no server and no question", hint: usage)
    }
    server = slash == rest.startIndex ? nil : String(rest[..<slash])
    let question = rest[rest.index(after: slash)...]
    let mark = question.firstIndex(of: "?") ?? question.endIndex
    guard mark > question.startIndex else {
      throw AdHocTargetError(message: "\(quoted("dns://" + rest)) asks for no name", hint: usage)
    }
    queryName = String(question[..<mark])
    for part in question[mark...].dropFirst().split(separator: "&") {
      guard part.hasPrefix("type="), queryType == nil else {
        throw AdHocTargetError(message: "\(quoted(part)) is no option of a dns target", hint: usage)
      }
      queryType = String(part.dropFirst(5))
    }
    if let queryType { name = (name ?? "") + " " + queryType.uppercased() }
  }
}
