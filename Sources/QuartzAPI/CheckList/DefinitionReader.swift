// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Reads one row into a definition. Only the columns of the row's type are looked at: after a change of type the
/// others stay behind with what they held.
struct DefinitionReader {
  private let wire: WireCheck
  private let rules: MappingRules
  private var definition = CheckDefinition()
  private(set) var warnings: [String] = []

  init(_ wire: WireCheck, name: String, rules: MappingRules) {
    self.wire = wire
    self.rules = rules
    definition.origin = .api
    definition.id = wire.id.description
    definition.name = name
    definition.resource = wire.resourceID.description
    definition.post = true
  }

  mutating func check() -> Result<MonitoringCheck, Skip> {
    do throws(Skip) {
      schedule()
      try kind()
      do throws(InvalidCheck) { return .success(try MonitoringCheck(definition)) } catch {
        throw Skip(error.problems.map(\.message).joined(separator: "; "))
      }
    } catch { return .failure(error) }
  }

  private mutating func kind() throws(Skip) {
    switch wire.type {
    case "http":
      try http()
      // The backend is content with the headers.
      if !rules.readBody, definition.method != "HEAD" { definition.readBody = false }
      // It reads null and 0 alike.
      let code = wire.expectedStatusCode ?? 0
      definition.expectStatus = [code == 0 ? "200" : String(code)]
    case "keyword":
      try http()
      definition.expectStatus = []
      try keyword()
    case "port":
      definition.type = "tcp"
      try host()
      guard let port = wire.port else { throw Skip("has no port") }
      definition.port = Int(port)  // bounded: a column of 32 bits
    case "ping":
      try host()
      definition.type = rules.pingICMP ? "ping" : "tcp"
      if !rules.pingICMP { definition.port = Int(wire.port ?? 80) }  // bounded: a column of 32 bits
    case "ssl": try ssl()
    case "heartbeat":
      throw Skip("a heartbeat is watched by the backend, which alone hears it")
    case "azure_metric", "azure_health":
      throw Skip("only the backend can read azure's data")
    default: throw Skip("this agent does not know the type \"\(wire.type.printable(maxBytes: 40))\"")
    }
  }

  private mutating func http() throws(Skip) {
    definition.type = "http"
    guard let url = wire.url, !url.isEmpty else { throw Skip("has no url") }
    definition.url = url
    let method = wire.method.map { $0.isEmpty ? "GET" : $0 } ?? "GET"
    guard rules.methods.contains(ByteText(method)) else {
      let word = method.printable(maxBytes: 20)
      throw Skip("the method \(word) is not allowed for checks from the API, only GET and HEAD are")
    }
    definition.method = method
    if wire.secrets.areMissing {
      throw Skip(
        "its credentials, its headers or its url's query are not kept on disk; it waits for the next good pull"
      )
    }
    try authentication()
    try headers()
  }

  private mutating func keyword() throws(Skip) {
    guard let word = wire.keyword, !word.isEmpty else { throw Skip("has no keyword to look for") }
    switch wire.keywordType ?? "contains" {
    case "contains": definition.expectBodyContains = [word]
    case "not_contains": definition.expectBodyNotContains = [word]
    case let other:
      throw Skip("this agent does not know the keyword type \"\(other.printable(maxBytes: 40))\"")
    }
  }

  private mutating func ssl() throws(Skip) {
    definition.type = "tls"
    guard let text = wire.url, !text.isEmpty else { throw Skip("has no url") }
    let url: HTTPURL
    do throws(HTTPURL.Invalid) { url = try HTTPURL(text) } catch { throw Skip("url \(error.message)") }
    guard url.scheme == .https else { throw Skip("unsupported: an http url has no certificate") }
    definition.host = url.host
    definition.port = Int(url.port)  // bounded: a port has 16 bits
  }

  private mutating func host() throws(Skip) {
    guard let host = wire.ipAddress, !host.isEmpty else { throw Skip("has no ip_address") }
    definition.host = host
  }

  /// The backend sends basic only with both parts, and nothing for a type of `none`.
  private mutating func authentication() throws(Skip) {
    guard let type = wire.authType, type != "none" else { return }
    let credentials = wire.secrets.credentials?.reveal()
    switch type {
    case "basic":
      guard let user = credentials?["username"]?.string, let password = credentials?["password"]?.string,
        !user.isEmpty, !password.isEmpty
      else { return warnings.append("has basic authentication without a name or a password: sent without") }
      definition.basicUsername = user
      definition.basicPassword = Redacted(password)
    case "bearer":
      guard let token = credentials?["token"]?.string, !token.isEmpty else {
        return warnings.append("has bearer authentication without a token: sent without")
      }
      definition.bearer = Redacted(token)
    default: throw Skip("this agent does not know the authentication \"\(type.printable(maxBytes: 40))\"")
    }
  }

  private mutating func headers() throws(Skip) {
    guard let json = wire.secrets.headers?.reveal() else { return }
    guard let members = json.members else { throw Skip("custom_headers is no object") }
    var headers: [(name: String, value: Redacted)] = []
    for member in members {
      let name = member.name.printable(maxBytes: 60)
      guard let value = member.value.string else { throw Skip("the header \(name) is no text") }
      if member.name.lowercased().hasPrefix("proxy-") { throw Skip("the header \(name) must not be set") }
      headers.append((member.name, Redacted(value)))
    }
    // Auth wins over a header of that name in the backend as well.
    if definition.basicUsername != nil || definition.bearer != nil {
      headers.removeAll { $0.name.lowercased() == "authorization" }
    }
    definition.headers = headers.isEmpty ? nil : headers
  }

  private mutating func schedule() {
    let day: Int64 = 86_400
    let least = max(1, rules.minimumInterval.components.seconds)
    let interval = clamped(wire.intervalSeconds ?? 60, to: least...day, "check_interval_seconds", "s")
    definition.interval = .seconds(interval)
    let longest = min(60, interval)
    definition.timeout = .seconds(clamped(wire.timeoutSeconds ?? 30, to: 1...longest, "timeout_seconds", "s"))
    // bounded: clamped to ten
    definition.retries = Int(clamped(wire.retryCount ?? 3, to: 0...10, "retry_count", ""))
    definition.retryDelay = .milliseconds(
      clamped(wire.retryDelayMilliseconds ?? 2000, to: 0...3_600_000, "retry_delay_ms", " ms"))
    definition.confirmDelay = .milliseconds(
      clamped(wire.confirmationDelayMilliseconds ?? 5000, to: 0...3_600_000, "confirmation_delay_ms", " ms"))
  }

  private mutating func clamped(
    _ value: Int64, to range: ClosedRange<Int64>, _ column: String, _ unit: String
  ) -> Int64 {
    let bounded = min(max(value, range.lowerBound), range.upperBound)
    if bounded != value { warnings.append("\(column) is \(value)\(unit), taken as \(bounded)\(unit)") }
    return bounded
  }
}
