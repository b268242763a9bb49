// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

/// The agent's own requests: where they may go, how long they may take, what is said of them.
@Suite(.timeLimit(.minutes(1))) struct OutboundTests {
  private static let here = IPAddress.loopback
  private static let elsewhere = IPAddress.v4(0xc000_0201)

  private func ask(
    _ url: String, at addresses: [IPAddress], _ rules: OutboundRules, timeout: Duration = .seconds(10)
  ) async throws -> Result<OutboundAnswer, OutboundFailure> {
    try await withCurlEngine { engine in
      let request = TransferRequest(url: url, timeout: timeout, goal: .body(limit: 64))
      return try await Outbound.test(engine, at: addresses).ask(request, rules)
    }
  }

  /// A key goes over https, or stays on this machine, whatever a name says.
  @Test(arguments: [
    ("http://receiver.test/", [here], "a key is sent over https only; use an https url"),
    ("http://192.0.2.1/", [], "a key is sent over https only; use an https url"),
    ("http://localhost/", [elsewhere], "localhost is not this machine; use an https url"),
  ])
  func aKeyNeedsHTTPS(url: String, addresses: [IPAddress], words: String) async throws {
    let reply = try await ask(url, at: addresses, .secret())
    #expect(reply == .failure(OutboundFailure(.forbidden, words)))
  }

  @Test(arguments: [
    ("http://receiver.test:81/", "egress forbids receiver.test:81"),
    ("http://192.0.2.1/", "egress forbids 192.0.2.1:80"),
    ("http://[2001:db8::1]/", "egress forbids [2001:db8::1]:80"),
  ])
  func egressForbids(url: String, words: String) async throws {
    var settings = EgressSettings()
    settings.deny = ["192.0.2.0/24", "2001:db8::/32"].compactMap { CIDR($0) }.map { EgressRule($0) }
    let reply = try await ask(url, at: [Self.elsewhere], .egress(settings))
    #expect(reply == .failure(OutboundFailure(.forbidden, words)))
  }

  @Test func aNameThatIsGone() async throws {
    let reply = try await ask("http://gone.test/", at: [], .egress(EgressSettings()))
    #expect(reply == .failure(OutboundFailure(.unresolved, "gone.test cannot be resolved: dns_nxdomain")))
  }

  /// A name that takes its time leaves the request less of it, and none in the end.
  @Test func theNameCountsInTheTimeout() async throws {
    let clock = FakeClock()
    let names = SlowNames(clock: clock, span: .seconds(9))
    let request = TransferRequest(url: "http://localhost:1/", timeout: .seconds(9), goal: .body(limit: 64))
    let reply = try await withCurlEngine { engine in
      try await Outbound(engine: engine, resolver: names, userAgent: "test", time: clock.time)
        .ask(request, .secret())
    }
    var expected = OutboundFailure(.unresolved, "localhost did not resolve in time")
    expected.isTimeout = true
    #expect(reply == .failure(expected))
  }

  /// Four addresses at most are dialled, in their order, and none that is forbidden.
  @Test func theAddressesOfAMailServer() async throws {
    let addresses = (1...6).map { IPAddress.v4(0xc000_0200 + UInt32($0)) }
    var settings = EgressSettings()
    settings.deny = ["192.0.2.2/32"].compactMap { CIDR($0) }.map { EgressRule($0) }
    let found = try await withCurlEngine { engine in
      try await Outbound.test(engine, at: addresses)
        .connect(to: Endpoint(host: "mx.test", port: 25), .egress(settings), within: .seconds(1))
    }
    #expect(try found.get().map(\.description) == [1, 3, 4, 5].map { "192.0.2.\($0):25" })
  }

  /// What the API's name was resolved to is closed to the checks that it sends.
  @Test func theAddressesOfTheAPIAreNoted() async throws {
    let own = OwnPlaces(api: Endpoint(host: "localhost", port: 1))
    #expect(own.refusal(of: Self.here, port: 1, host: "other.test") == nil)
    _ = try await ask("http://localhost:1/", at: [Self.here], .secret(own: own))
    #expect(
      own.refusal(of: Self.here, port: 1, host: "other.test")
        == "is an address of the API itself, closed to checks from the API")
  }

  /// What a refusal says is shown to people: the credentials of the request are not in it, in whichever form.
  @Test(arguments: [
    (400, "no Pw9aBcDeFg, UHc5YUJjRGVGZw==", "no <redacted>, <redacted>"),
    (401, "key Pw9aBcDeFg", "key <redacted>"),
    (399, "no Pw9aBcDeFg", "no Pw9aBcDeFg"), (500, "no Other1234", "no Other1234"),
  ])
  func aRefusalRepeatsNoCredentials(status: Int, body: String, shown: String) throws {
    var request = TransferRequest(url: "https://a.test/", timeout: .seconds(1), goal: .body(limit: 64))
    request.headers = [HeaderField("X-API-Key", "Pw9aBcDeFg"), HeaderField("X-Trace", "Other1234")]
    let answer = OutboundAnswer(status: status, headers: [HeaderField("A", "b")], body: Array(body.utf8))
    let expected = OutboundAnswer(status: status, headers: [HeaderField("A", "b")], body: Array(shown.utf8))
    #expect(answer.hiding(credentialsOf: request) == expected)
  }

  @Test func aRefusalOfAServerRepeatsNoKey() async throws {
    let script: @Sendable (LoopbackConnection) -> Void = { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 401 No\r\nContent-Length: 14\r\n\r\nkey Pw9aBcDeFg")
    }
    try await withLoopbackServer(script: script) { server in
      let reply = try await withCurlEngine { engine in
        var request = TransferRequest(
          url: "http://127.0.0.1:\(server.port)/", timeout: .seconds(10), goal: .body(limit: 64))
        request.headers = [HeaderField("Authorization", "Bearer Pw9aBcDeFg")]
        return try await Outbound.test(engine, at: []).ask(request, .egress(EgressSettings()))
      }
      #expect(try String(decoding: reply.get().body, as: UTF8.self) == "key <redacted>")
    }
  }

  /// An answer that breaks off is a failure that knows the head.
  @Test func theHeadOfAnAnswer() async throws {
    let script: @Sendable (LoopbackConnection) -> Void = { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nX-Word: a\r\nContent-Length: 9\r\n\r\ncut")
    }
    try await withLoopbackServer(script: script) { server in
      let reply = try await ask("http://127.0.0.1:\(server.port)/", at: [], .egress(EgressSettings()))
      guard case .failure(let failure) = reply else {
        Issue.record("it is no whole answer: \(reply)")
        return
      }
      #expect(failure.kind == .broken && reply.head?.status == 200 && reply.head?.header("x-word") == "a")
      #expect(failure.words.hasPrefix("127.0.0.1:\(server.port): "))
    }
  }
}

/// Has the address of this machine for every name, a while later.
private struct SlowNames: HostResolving {
  let clock: FakeClock
  let span: Duration

  func resolve(_ host: String, ip: IPPreference, deadline: Instant) -> ResolvedHost {
    clock.advance(by: span)
    return ResolvedHost(addresses: [.loopback])
  }
}
