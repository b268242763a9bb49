// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// What is refused of an item of `discover`, and what it becomes.
@Suite struct DiscoveryJudgeTests {
  private func source(_ fill: (inout DiscoveryDefinition) -> Void) throws(InvalidAlerts) -> DiscoverySource {
    var definition = DiscoveryDefinition()
    definition.templates = ["web"]
    fill(&definition)
    return try DiscoverySource(definition) { "/etc/\($0)" }
  }

  private func problems(_ fill: (inout DiscoveryDefinition) -> Void) -> [String] {
    do throws(InvalidAlerts) {
      _ = try source(fill)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  /// The file of learned targets is the same on every machine and after every update.
  @Test func theFileOfLearnedTargets() throws {
    let http = try source { $0.http = Redacted("https://cmdb.example/targets") }
    #expect(http.cacheName == "discovered/c53c499b-85e2-5ef8-ab54-901705e2f213.json")
    let dns = try source { $0.dns = "_https._tcp.example.com" }
    #expect(dns.cacheName == "discovered/ef26bb7d-58c1-5ae3-a171-7df0d61535f5.json")
    #expect(try source { $0.file = "targets/*.json" }.cacheName == nil)
  }

  /// One URL may answer each tenant with its own targets.
  @Test func theFileIsOfTheURLAndItsHeaders() throws {
    let headers: [[(name: String, value: Redacted)]] = [
      [], [("X-Scope", Redacted("a"))], [("X-Scope", Redacted("b"))], [("X-Tenant", Redacted("a"))],
      [("X-Scope", Redacted("a")), ("X-Tenant", Redacted("a"))],
    ]
    let names = try headers.map { headers in
      try source { ($0.http, $0.headers) = (Redacted("https://cmdb.example/targets"), headers) }.cacheName
    }
    #expect(Set(names).count == headers.count && !names.contains(nil))
    let again = try source {
      ($0.http, $0.headers) = (Redacted("https://cmdb.example/targets"), headers[1])
      ($0.name, $0.refresh) = ("${host}", .seconds(300))
    }
    #expect(again.cacheName == names[1])
  }

  @Test func whatAnItemBecomes() throws {
    let file = try source { $0.file = "targets/*.json" }
    #expect(file.place == .files("/etc/targets/*.json") && file.templates == ["web"])
    #expect(file.name == "web ${target}" && file.refresh == .seconds(60))
    let http = try source {
      $0.http = Redacted("https://cmdb.example/targets?key=s3cret")
      $0.headers = [(name: "X-Key", value: Redacted("value"))]
      ($0.name, $0.refresh) = ("${host}", .seconds(300))
    }
    guard case .http(let url, let headers) = http.place else {
      Issue.record("not asked by GET")
      return
    }
    #expect(url.text == "https://cmdb.example/targets?key=s3cret" && http.name == "${host}")
    #expect(headers == [HeaderField("X-Key", Redacted("value"))] && http.refresh == .seconds(300))
    #expect(http.label == "https://cmdb.example:443")
  }

  @Test func whatIsRefused() {
    let one = ": an item of discover has one of file, http and dns, found "
    #expect(problems { _ in } == [one + "0"])
    #expect(problems { ($0.file, $0.dns) = ("a", "_a._tcp.example.com") } == [one + "2"])
    #expect(problems { $0.http = Redacted("ftp://s3cret") } == ["http: http must be an http or https URL"])
    #expect(
      problems { ($0.file, $0.templates, $0.name) = ("a", [], "${target}") }
        == ["extends: extends is missing: its checks are made of a template"])
    #expect(
      problems { ($0.file, $0.name) = ("a", "shop") }
        == ["name: all checks would be called \"shop\""])
    for name in ["${target}", "${host}", "${port}", "${label:a}"] {
      #expect(problems { ($0.file, $0.name) = ("a", "x \(name)") } == [], "\(name)")
    }
    let longest = "_" + String(repeating: "a", count: 252)
    for (name, isTaken) in [
      (longest, true), (longest + "a", false), ("a.example", false), ("", false), ("_a\n", false),
    ] {
      #expect(problems { $0.dns = name }.isEmpty == isTaken, "\(name.utf8.count)")
    }
  }

  /// How often a question or a sign of life may be.
  @Test func pauses() {
    #expect(DiscoverySource.refreshes == .seconds(10) ... .seconds(86_400))
    #expect(LifeSign.every == .seconds(10) ... .seconds(86_400))
    #expect(LifeSign.timeout < LifeSign.every.lowerBound && LifeSign.usual == .seconds(60))
  }
}
