// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Checks that are made of another one, and what is read off a check.
@Suite struct MonitoringCheckDerivedTests {
  private func check(_ definition: CheckDefinition) throws -> MonitoringCheck {
    try MonitoringCheck(definition)
  }

  private var heartbeat: CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    (definition.token, definition.period) = (Redacted("0123456789abcdef"), .seconds(3600))
    return definition
  }

  private var tls: CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = ("Mail", "tls", "mail.example")
    return definition
  }

  /// Kind, words for the target, and the address that is dialled.
  @Test func targets() throws {
    var server = CheckDefinition.dns(name: "bücher.example")
    (server.server, server.queryType) = ("[2001:db8::53]:54", "mx")
    var proxied = CheckDefinition.http()
    proxied.proxy = Redacted("http://proxy.example:3128")
    var port = CheckDefinition.ping(host: "router")
    (port.pingMethod, port.port) = ("tcp", 22)
    let rows: [(CheckDefinition, CheckType, String, Endpoint?)] = [
      (
        .http("https://shop.example/health?key=1#x"), .http, "https://shop.example/health",
        Endpoint(host: "shop.example", port: 443)
      ),
      (.http("http://[::1]:81/"), .http, "http://[::1]:81/", Endpoint(host: "::1", port: 81)),
      (proxied, .http, "https://shop.example/health", nil),
      (.tcp(host: "::1", port: 80), .tcp, "[::1]:80", Endpoint(host: "::1", port: 80)),
      (tls, .tls, "mail.example:443", Endpoint(host: "mail.example", port: 443)),
      (
        server, .dns, "[2001:db8::53]:54/xn--bcher-kva.example MX (bücher.example)",
        Endpoint(host: "2001:db8::53", port: 54)
      ),
      (.dns(name: "example.com"), .dns, "system/example.com A", nil),
      (.ping(host: "router"), .ping, "router", Endpoint(host: "router", port: 0)),
      (port, .ping, "router", Endpoint(host: "router", port: 22)), (heartbeat, .heartbeat, "every 1h", nil),
    ]
    for (definition, type, target, dialled) in rows {
      let made = try check(definition)
      #expect(made.type == type && made.target == target && made.kind.dialled == dialled, "\(target)")
    }
    #expect(CheckType.probing == [.http, .tcp, .dns, .tls, .ping])
  }

  /// A former name keeps its id; a given id is neither.
  @Test func formerNames() throws {
    var definition = CheckDefinition.http()
    definition.was = "Old shop"
    #expect(try check(definition).id == MonitoringCheck.derivedID(name: "Old shop"))
    #expect(try check(definition).name == "Shop front")
  }

  /// The same in all but one thing.
  @Test func aimedAndTried() throws {
    var definition = CheckDefinition.http()
    (definition.plan.retries, definition.plan.confirmDelay) = (3, .seconds(7))
    definition.plan.retryDelay = .seconds(5)
    let own = try check(definition)
    let aimed = own.aimedByStranger
    #expect(own.origin == .local && own.originKind == .fileChecks)
    #expect(aimed.origin == .api && aimed.originKind == .apiChecks && aimed.retries == 3)
    #expect(aimed.id == own.id && aimed.kind == own.kind && aimed != own)
    let once = own.triedOnce
    #expect(once.retries == 0 && once.confirmDelay == .zero && once.retryDelay == .seconds(5))
    #expect(once.origin == .local && once.kind == own.kind)
    guard case .http(let http) = own.adding(HeaderField("X-B", Redacted("v"))).kind else { return }
    #expect(http.headers == [HeaderField("X-B", Redacted("v"))])
    let tcp = try check(.tcp(host: "a", port: 1))
    #expect(tcp.adding(HeaderField("X-B", Redacted("v"))) == tcp)
  }

  /// Both sorts of keys are asked for where the options say so, and by a tls check of each address.
  @Test func bothSortsOfKeys() throws {
    func asks(_ base: CheckDefinition, _ change: (inout CheckDefinition) -> Void = { _ in }) throws -> Bool {
      var definition = base
      definition.tls.both = true
      change(&definition)
      return try check(definition).asksBothKeySorts
    }
    let tcp = CheckDefinition.tcp(host: "a", port: 1)
    for base in [.http(), tcp, tls] as [CheckDefinition] { #expect(try asks(base) == true) }
    #expect(try asks(.dns(name: "a")) { ($0.transport, $0.server) = ("doh", "192.0.2.1") } == true)
    #expect(try asks(.http("http://shop.example/")) == true)
    for base in [.http(), tcp, tls, .ping(host: "a")] as [CheckDefinition] {
      #expect(try asks(base) { $0.tls.both = nil } == false)
    }
    #expect(try asks(tls) { ($0.tls.both, $0.addresses) = (nil, "each") } == true)
    #expect(try asks(tcp) { ($0.tls.both, $0.addresses) = (nil, "each") } == false)
  }

  /// A client that knows one sort of keys, in each kind that speaks TLS.
  @Test func oneSortOfKeys() throws {
    func sort(_ definition: CheckDefinition) throws -> KeySort? {
      let kind = try check(definition).asking(for: .rsa).kind
      return switch kind {
      case .http(let http): http.tls.keySort
      case .tcp(let tcp): tcp.tls?.keySort
      case .tls(let tls): tls.options.keySort
      case .dns(let dns): dns.tls.keySort
      case .ping, .heartbeat: nil
      }
    }
    var tcp = CheckDefinition.tcp(host: "a", port: 1)
    #expect(try sort(tcp) == nil)
    tcp.tls.isWanted = true
    for definition in [tcp, .http(), tls, .dns(name: "a")] as [CheckDefinition] {
      #expect(try sort(definition) == .rsa)
    }
    #expect(try sort(.ping(host: "a")) == nil)
  }

  /// TLS of a tcp check follows from the key, from an option, or from STARTTLS.
  @Test func whetherTCPSpeaksTLS() throws {
    func speaks(_ change: (inout CheckDefinition) -> Void) throws -> Bool {
      var definition = CheckDefinition.tcp(host: "a", port: 1)
      change(&definition)
      guard case .tcp(let tcp) = try check(definition).kind else { return false }
      return tcp.tls != nil
    }
    #expect(try speaks { _ in } == false)
    #expect(try speaks { $0.tls.isWanted = true } == true)
    #expect(try speaks { $0.tls.isWanted = false } == false)
    #expect(try speaks { $0.startTLS = "smtp" } == true)
    #expect(try speaks { $0.tls.verify = true } == true)
    #expect(try speaks { $0.tls.both = false } == true)
    #expect(try speaks { ($0.tls.isWanted, $0.tls.verify) = (false, true) } == false)
  }

  /// The last part of a job's address.
  @Test(
    arguments: [
      (nil, .ok), ("start", .start), ("fail", .fail(exitCode: nil)), ("0", .ok), ("1", .fail(exitCode: 1)),
      ("17", .fail(exitCode: 17)), ("255", .fail(exitCode: 255)), ("256", nil), ("0255", nil), ("", nil),
      ("Start", nil), ("-1", nil), ("+1", nil), ("ok", nil), ("１", nil),
    ] as [(String?, HeartbeatReport.Signal?)])
  func signals(word: String?, signal: HeartbeatReport.Signal?) {
    #expect(HeartbeatReport.Signal(word: word) == signal)
  }

  /// A stranger's check goes by the proxy to listed names only, never to an address.
  @Test func namesBehindAProxy() {
    let proxy = ProxySettings(scheme: .http, endpoint: Endpoint(host: "proxy.example", port: 3128))
    let settings = EgressSettings(proxy: proxy, allowNames: ["a.example", "*.b.example"])
    for (host, isListed) in [
      ("a.example", true), ("A.example.", true), ("x.a.example", false), ("b.example", false),
      ("x.b.example", true), ("y.x.b.example", true), ("xb.example", false), ("192.0.2.1", false),
    ] {
      #expect(settings.proxy(forHost: host) == (isListed ? proxy : nil), "\(host)")
    }
    #expect(EgressSettings(allowNames: ["a.example"]).proxy(forHost: "a.example") == nil)
    #expect(settings.ports == [80, 443, 8080, 8443] && settings.methods == ["GET", "HEAD"])
    #expect(settings.mode == .default && settings.allow.isEmpty && settings.deny.isEmpty)
  }
}
