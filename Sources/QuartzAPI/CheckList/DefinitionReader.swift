// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Gives the keys of a check what one row has for them: the declarations that agent.yaml is read by say which column,
/// in which unit, and what the bounds are. Only the columns of the row's type are looked at: after a change of type the
/// others stay behind with what they held.
struct DefinitionReader {
  private let wire: WireCheck
  private let rules: MappingRules
  private var given = GivenMap()
  /// The backend is content with the headers; nil: as for every check.
  private var readBody: Bool?
  private(set) var warnings: [String] = []

  init(_ wire: WireCheck, name: String, rules: MappingRules) {
    self.wire = wire
    self.rules = rules
    give("id", .text(wire.id.description))
    give("name", .text(name))
    give("resource", .text(wire.resourceID.description))
  }

  mutating func check() -> Result<MonitoringCheck, Skip> {
    do throws(Skip) {
      schedule()
      try kind()
      let definition = try definition()
      do throws(InvalidCheck) { return .success(try MonitoringCheck(definition)) } catch {
        throw Skip(error.problems.map(\.message).joined(separator: "; "))
      }
    } catch { return .failure(error) }
  }

  private func definition() throws(Skip) -> CheckDefinition {
    var reader = KeyReader(.api)
    var definition = CheckDefinition(given, &reader)
    if let problem = reader.problems.first { throw Skip(problem.message) }
    definition.origin = .api
    definition.post = true
    definition.http.readBody = readBody
    return definition
  }

  private mutating func give(_ key: String, _ value: Given.Value) {
    given.entries.append((key, Given(value)))
  }

  private mutating func kind() throws(Skip) {
    switch wire.type {
    case "http":
      // It reads null and 0 alike.
      let code = wire["expected_status_code"]?.number ?? 0
      let method = try http()
      if !rules.readBody, method != "HEAD" { readBody = false }
      give("expect", .map([("status", .list([Given(.text(code == 0 ? "200" : String(code)))]))]))
    case "keyword":
      _ = try http()
      give("expect", .map([("status", .list([Given(.text("any"))])), ("body", try keyword())]))
    case "port":
      try host("tcp")
      guard let port = wire["port"]?.number else { throw Skip("has no port") }
      give("port", .integer(port))
    case "ping":
      try host(rules.pingICMP ? "ping" : "tcp")
      if !rules.pingICMP { give("port", .integer(wire["port"]?.number ?? 80)) }
    case "ssl": try ssl()
    case "heartbeat":
      throw Skip("a heartbeat is watched by the backend, which alone hears it")
    case "azure_metric", "azure_health":
      throw Skip("only the backend can read azure's data")
    default: throw Skip("this agent does not know the type \"\(wire.type.printable(maxBytes: 40))\"")
    }
  }

  /// - Returns: the method.
  private mutating func http() throws(Skip) -> String {
    give("type", .text("http"))
    guard let url = wire.url, !url.isEmpty else { throw Skip("has no url") }
    give("url", .text(url))
    let method = wire["http_method"]?.text.map { $0.isEmpty ? "GET" : $0 } ?? "GET"
    guard rules.methods.contains(ByteText(method)) else {
      let word = method.printable(maxBytes: 20)
      throw Skip("the method \(word) is not allowed for checks from the API, only GET and HEAD are")
    }
    give("method", .text(method))
    if wire.secrets.areMissing {
      throw Skip(
        "its credentials, its headers or its url's query are not kept on disk; it waits for the next good pull",
        isAwaited: true)
    }
    let auth = try authentication()
    if let auth { give("auth", auth) }
    try headers(isLoggedIn: auth != nil)
    return method
  }

  private func keyword() throws(Skip) -> Given.Value {
    guard let word = wire["keyword_value"]?.text, !word.isEmpty else {
      throw Skip("has no keyword to look for")
    }
    let type = wire["keyword_type"]?.text ?? "contains"
    guard ["contains", "not_contains"].contains(type) else {
      throw Skip("this agent does not know the keyword type \"\(type.printable(maxBytes: 40))\"")
    }
    return .map([(type, .list([Given(.text(word))]))])
  }

  private mutating func ssl() throws(Skip) {
    give("type", .text("tls"))
    guard let text = wire.url, !text.isEmpty else { throw Skip("has no url") }
    let url: HTTPURL
    do throws(HTTPURL.Invalid) { url = try HTTPURL(text) } catch { throw Skip("url \(error.message)") }
    guard url.scheme == .https else { throw Skip("unsupported: an http url has no certificate") }
    give("host", .text(url.host))
    give("port", .integer(Int(url.port)))  // bounded: a port has 16 bits
  }

  private mutating func host(_ type: String) throws(Skip) {
    give("type", .text(type))
    guard let host = wire["ip_address"]?.text, !host.isEmpty else { throw Skip("has no ip_address") }
    give("host", .text(host))
  }

  /// The backend sends basic only with both parts, and nothing for a type of `none`.
  private mutating func authentication() throws(Skip) -> Given.Value? {
    guard let type = wire["http_auth_type"]?.text, type != "none" else { return nil }
    let credentials = wire.secrets.credentials?.reveal()
    switch type {
    case "basic":
      guard let user = credentials?["username"]?.string, let password = credentials?["password"]?.string,
        !user.isEmpty, !password.isEmpty
      else {
        warnings.append("has basic authentication without a name or a password: sent without")
        return nil
      }
      return .map([("basic", .map([("username", .text(user)), ("password", .text(password))]))])
    case "bearer":
      guard let token = credentials?["token"]?.string, !token.isEmpty else {
        warnings.append("has bearer authentication without a token: sent without")
        return nil
      }
      return .map([("bearer", .text(token))])
    default: throw Skip("this agent does not know the authentication \"\(type.printable(maxBytes: 40))\"")
    }
  }

  private mutating func headers(isLoggedIn: Bool) throws(Skip) {
    guard let json = wire.secrets.headers?.reveal() else { return }
    guard let members = json.members else { throw Skip("custom_headers is no object") }
    var headers: [(String, Given.Value)] = []
    for member in members {
      let name = member.name.printable(maxBytes: 60)
      guard let value = member.value.string else { throw Skip("the header \(name) is no text") }
      if member.name.lowercased().hasPrefix("proxy-") { throw Skip("the header \(name) must not be set") }
      // Auth wins over a header of that name in the backend as well.
      if isLoggedIn, member.name.lowercased() == "authorization" { continue }
      headers.append((member.name, .text(value)))
    }
    if !headers.isEmpty { give("headers", .map(headers)) }
  }

  /// The numbers, each taken into its key's bounds. A timeout never exceeds the interval.
  private mutating func schedule() {
    var interval = 0
    for key in KeyTable.check.keys {
      guard let column = key.column, let null = column.null, let bounds = column.bounds(of: key.value) else {
        continue
      }
      var range = bounds
      switch key.name {
      case "interval":
        let least = Int(max(1, rules.minimumInterval.components.seconds))  // bounded: a day at most
        range = min(least, range.upperBound)...range.upperBound
      case "timeout": range = range.lowerBound...min(range.upperBound, interval)
      default: break
      }
      let found = wire[column.name]?.number ?? null
      let taken = min(max(found, range.lowerBound), range.upperBound)
      let unit = column.unitText
      if taken != found { warnings.append("\(column.name) is \(found)\(unit), taken as \(taken)\(unit)") }
      if key.name == "interval" { interval = taken }
      // bounded: taken into the key's bounds
      give(key.name, column.unit.map { .duration($0 * taken) } ?? .integer(taken))
    }
  }
}

extension Given.Value {
  fileprivate static func map(_ entries: [(String, Given.Value)]) -> Given.Value {
    .map(GivenMap(entries.map { ($0.0, Given($0.1)) }))
  }
}
