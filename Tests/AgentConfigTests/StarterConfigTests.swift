// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// What `init` writes is a configuration that needs no second look before it runs.
struct StarterConfigTests {
  @Test func everyKindOfTargetMakesACheck() throws {
    let starter = StarterConfig(
      targets: [
        "https://shop.example/health", "db.example:5432", "tls://mail.example:25?starttls=smtp",
        "dns://192.0.2.53/example.com?type=MX", "ping://192.0.2.1", "192.0.2.2", "shop.example",
        "db.example:5432", "https://a.example/${file:/etc/shadow}",
      ], interval: .seconds(5), listen: "127.0.0.1:9797")
    let text = try starter.text(patterns: .unchecked)
    let settings = try settings(text)
    #expect(settings.checks.map(\.type) == [.http, .tcp, .tls, .dns, .ping, .ping, .http, .http])
    #expect(settings.checks.allSatisfy { $0.interval == .seconds(5) && $0.timeout == .seconds(5) })
    #expect(settings.status.listen == .tcp(host: "127.0.0.1", port: 9797))
  }

  /// With every comment of a setting switched on it still is one.
  @Test func commentsAreSettings() throws {
    let text = try StarterConfig(targets: ["https://a.example/", "a:1", "tls://a", "ping://a"]).text(
      patterns: .unchecked)
    let switched = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let bare = line.drop { $0 == " " }
      guard bare.hasPrefix("# ") else {
        return String(line)
      }
      return String(line.prefix(line.count - bare.count)) + String(bare.dropFirst(2))
    }.joined(separator: "\n")
    guard
      case .http(let http)? = try settings(switched).checks.first?.kind
    else {
      Issue.record("no http check")
      return
    }
    #expect(http.expect.bodyContains == ["ok"])
  }

  @Test(arguments: ["ftp://a", "tcp://a", "dns://a", "https://"])
  func whatIsNoTargetIsTold(target: String) {
    #expect(throws: AdHocTargetError.self) {
      try StarterConfig(targets: [target]).text(patterns: .unchecked)
    }
  }
}
