// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks
@testable import Network

/// A20: a stranger's check aimed at the agent itself, or at the API it serves. And S-11: the methods it may use.
@Suite struct OwnPlacesTests {
  private static let mine: Set<IPAddress> = Set(
    ["192.0.2.7", "10.0.0.7", "8.8.8.8", "2600::7"].compactMap { IPAddress($0) })

  private let everything: EgressSettings = {
    let texts = ["10.0.0.0/8", "127.0.0.1/32", "::1/128"]
    return EgressSettings(
      allow: texts.compactMap { CIDR($0) }.map { EgressRule($0, ports: [9797, 443, 80]) })
  }()

  private func policy(api: Endpoint? = nil, resolved: [String] = []) -> EgressPolicy {
    let own = OwnPlaces(ports: [9797], api: api) { Self.mine }
    own.noteAPI(resolved.compactMap { IPAddress($0) })
    return EgressPolicy(everything, own: own)
  }

  private func isAllowed(
    _ policy: EgressPolicy, _ address: String, _ port: UInt16, _ origin: CheckOrigin = .api,
    host: String? = nil
  ) throws -> Bool {
    policy.judge(try #require(IPAddress(address)), port: port, origin: origin, host: host) == .allowed
  }

  /// Although `allow` lists them with the port.
  @Test(arguments: [
    "127.0.0.1", "10.0.0.7", "8.8.8.8", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.7", "64:ff9b::10.0.0.7",
  ])
  func theAgentsOwnPortIsClosed(address: String) throws {
    #expect(try !isAllowed(policy(), address, 9797))
    #expect(try isAllowed(policy(), address, 9797, .local))
  }

  /// Dialled, `0.0.0.0` and `::` reach this very machine.
  @Test(arguments: ["0.0.0.0", "::", "127.8.8.8"]) func noAddressAtAllIsThisMachine(address: String) throws {
    let own = OwnPlaces(ports: [9797]) { Self.mine }
    let address = try #require(IPAddress(address))
    #expect(
      own.refusal(of: address, port: 9797, host: nil) == "is the agent itself, closed to checks from the API")
    #expect(own.refusal(of: address, port: 443, host: nil) == nil)
  }

  @Test func othersAtThatPortAndOurOtherPortsAreNot() throws {
    #expect(try isAllowed(policy(), "10.0.0.8", 9797))
    #expect(try isAllowed(policy(), "127.0.0.1", 443))
    #expect(try isAllowed(policy(), "10.0.0.7", 443))
  }

  @Test(arguments: ["api.example", "API.Example", "api.example."]) func theAPIIsClosedByName(host: String)
    throws
  {
    let policy = policy(api: Endpoint(host: "api.example.", port: 443))
    #expect(try !isAllowed(policy, "9.9.9.9", 443, host: host))
    #expect(try isAllowed(policy, "9.9.9.9", 80, host: host))
    #expect(try isAllowed(policy, "9.9.9.9", 443, .local, host: host))
    #expect(try isAllowed(policy, "9.9.9.9", 443, host: "www.api.example"))
  }

  /// By its address only where the check names that address, or nobody else can stand behind it.
  @Test func theAPIsAddressIsClosed() throws {
    let policy = policy(api: Endpoint(host: "api.example", port: 443), resolved: ["9.9.9.9", "10.0.0.53"])
    #expect(try !isAllowed(policy, "9.9.9.9", 443, host: "9.9.9.9"))
    #expect(try isAllowed(policy, "9.9.9.9", 443, host: "neighbour.example"))
    #expect(try !isAllowed(policy, "10.0.0.53", 443, host: "neighbour.example"))
    #expect(try !isAllowed(policy, "::ffff:10.0.0.53", 443, host: "neighbour.example"))
    #expect(try isAllowed(policy, "10.0.0.53", 80, host: "neighbour.example"))
  }

  @Test func theMessageSaysWhatItIs() throws {
    let denied = policy().judge(try #require(IPAddress("10.0.0.7")), port: 9797, origin: .api)
    #expect(denied == .denied("10.0.0.7 is the agent itself, closed to checks from the API"))
  }

  @Test func thisMachineKnowsItsAddresses() {
    #expect(interfaceAddresses().contains(.loopback))
  }

  /// No check can name a path: the state socket is out of reach for http as for everything else.
  @Test(arguments: [
    "http+unix://%2Fvar%2Flib%2Fquartz-agent%2Fagent.sock/", "unix:///var/lib/quartz-agent/agent.sock",
    "http://unix:8080:/var/lib/quartz-agent/agent.sock", "http:///var/lib/quartz-agent/agent.sock",
  ])
  func theStateSocketCannotBeNamed(url: String) {
    #expect(throws: InvalidCheck.self) {
      try makeCheck("http") {
        $0.origin = .api
        $0.url = url
      }
    }
  }

  /// An empty port is the scheme's (RFC 3986 section 3.2.3): this is a host of that name.
  @Test func aHostThatIsCalledUnix() throws {
    let check = try makeCheck("http") {
      $0.origin = .api
      $0.url = "http://unix:/var/lib/quartz-agent/agent.sock"
    }
    #expect(check.ownTarget?.endpoint == Endpoint(host: "unix", port: 80))
  }

  // MARK: methods

  private func refusal(
    _ method: String, body: String? = nil, methods: [String] = ["GET", "HEAD"], _ origin: CheckOrigin = .api
  ) throws -> String? {
    let check = try makeCheck("http") {
      $0.origin = origin
      $0.url = "https://8.8.8.8/"
      $0.method = method
      $0.http.body = body.map { Redacted($0) }
    }
    return EgressPolicy(EgressSettings(methods: methods)).refusal(of: check)
  }

  @Test func strangersReadOnly() throws {
    #expect(try refusal("GET") == nil)
    #expect(try refusal("HEAD") == nil)
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"] {
      #expect(try refusal(method)?.contains("'egress.methods'") == true, "\(method)")
      #expect(try refusal(method, .local) == nil, "\(method)")
    }
    #expect(try refusal("POST", body: "x", methods: ["GET", "POST"]) == nil)
    #expect(try refusal("HEAD", methods: ["GET"])?.contains("'egress.methods'") == true)
  }

  @Test func aRefusedMethodIsNeverSent() async throws {
    let finder = TargetFinder(resolver: NameTable(), policy: EgressPolicy())
    let check = try makeCheck("http") {
      $0.origin = .api
      $0.url = "https://8.8.8.8/"
      $0.method = "DELETE"
    }
    let target = try #require(check.ownTarget)
    guard case .ended(let outcome) = try await finder.find(target, for: check, until: .after(.seconds(1)))
    else {
      Issue.record("found")
      return
    }
    #expect(outcome.verdict.reason == .policyDenied && outcome.verdict.state == .unknown)
  }

  /// A check from the API sends no body with a method that has none; the file's may.
  @Test(
    arguments: [
      ("GET", "x", "a check from the API may not send a body with GET"),
      ("POST", "x", nil), ("PUT", "x", nil), ("GET", nil, nil), ("HEAD", nil, nil),
    ] as [(String, String?, String?)])
  func bodiesOfStrangers(method: String, body: String?, words: String?) throws {
    let methods = ["GET", "HEAD", "POST", "PUT"]
    #expect(try refusal(method, body: body, methods: methods) == words)
    #expect(try refusal(method, body: body, methods: methods, .local) == nil)
  }
}
