// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import StatusSupport
import TestSupport
import Testing
@testable import Status
@testable import StatusServer

/// Who may read: by token, by the name they ask for, by where they come from.
@Suite struct AccessTests {
  private let read = "read-0123456789"
  private let run = "run-0123456789"

  private func source(readable: Bool = false) throws -> FixedSource {
    var source = try sampleSource()
    source.access.readToken = readable ? nil : Redacted(read)
    source.token = Redacted(run)
    return source
  }

  private func get(_ address: ListenAddress, _ target: String, _ authorization: String?) async throws
    -> RawResponse
  {
    let header = authorization.map { "Authorization: \($0)\r\n" } ?? ""
    return try await exchange(
      address, "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(header)Connection: close\r\n\r\n")
  }

  private func basic(_ pair: String) -> String { "Basic " + Data(pair.utf8).base64EncodedString() }

  /// A token is itself to the last byte, and nothing is no token.
  @Test(arguments: [
    ("abc", "abc", true), ("abc", "abd", false), ("abc", "ab", false), ("ab", "abc", false),
    ("abcabc", "abc", false),
    ("", "abc", false), ("abc", "", false), ("", "", false),
  ])
  func aTokenIsComparedWhole(shown: String, token: String, isSame: Bool) {
    #expect(equalInConstantTime(Array(shown.utf8), Array(token.utf8)) == isSame)
  }

  /// RFC 7617 section 2: the name ends at the first colon, the password may hold more of them.
  @Test func aPasswordMayHoldColons() throws {
    let shown = try #require(Credential(basic("name:pass:word:")))
    #expect(shown.matches(Redacted("pass:word:")))
    #expect(!shown.matches(Redacted("word:")) && !shown.matches(Redacted("")))
  }

  /// Health is asked for without a token by GET and HEAD alone, at two addresses and no other.
  @Test(arguments: [
    ("/livez", true), ("/readyz", true), ("/livez/", false), ("/livez?x=1", false), ("/healthz", false),
    ("/metrics", false), ("/", false),
  ])
  func healthNeedsNoToken(target: String, isHealth: Bool) {
    #expect(StatusRequest(method: .get, target: target).isHealth == isHealth)
    #expect(StatusRequest(method: .head, target: target).isHealth == isHealth)
    #expect(!StatusRequest(method: .post, target: target).isHealth)
  }

  @Test func withoutTheTokenNothingIsReadButHealth() async throws {
    try await withServer(try source()) { address in
      for target in [
        "/", "/metrics", "/api/v1/summary", "/api/v1/status.txt", "/api/v1/spool", "/checks/x", "/livez/",
      ] {
        let answer = try await get(address, target, nil)
        #expect(answer.status == 401, "\(target)")
        #expect(answer.header("WWW-Authenticate")?.hasPrefix("Basic realm=") == true)
        #expect(!answer.body.contains("Shop"))
      }
      for target in ["/livez", "/readyz"] {
        let answer = try await get(address, target, nil)
        #expect(answer.status == 200)
      }
    }
  }

  @Test func eitherTokenReadsInEitherForm() async throws {
    try await withServer(try source()) { address in
      for shown in [
        "Bearer \(read)", "bearer \(run)", basic("any:\(read)"), basic(":\(run)"), basic("a:\(read)"),
      ] {
        let answer = try await get(address, "/api/v1/summary", shown)
        #expect(answer.status == 200, "\(shown)")
      }
    }
  }

  @Test(arguments: [
    "Bearer", "Bearer ", "Bearer read-012345678", "Bearer read-01234567890", "Basic", "Basic ====",
    "Basic YTpi!",
    "Basic YTpi=", "Basic cmVhZC0wMTIzNDU2Nzg5", "Digest read-0123456789", "read-0123456789",
  ])
  func whatIsNoTokenReadsNothing(_ shown: String) async throws {
    try await withServer(try source()) { address in
      let answer = try await get(address, "/api/v1/summary", shown)
      #expect(answer.status == 401)
    }
  }

  @Test func theTokenToReadRunsNothing() async throws {
    let check = try makeCheck("Shop front")
    var source = try source()
    source.outcome = .done(makeResult(check, minute: 1, state: .up))
    try await withServer(source) { address in
      let answer = try await exchange(
        address,
        "POST /api/v1/checks/\(check.id)/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
          + "Authorization: Bearer \(read)\r\nConnection: close\r\n\r\n")
      #expect(answer.status == 401)
    }
  }

  @Test func theFileSystemGuardsASocket() async throws {
    let source = try source()
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.sock").path
      try await withServer(source, listen: .unix(path: path)) { address in
        let answer = try await get(address, "/api/v1/summary", nil)
        #expect(answer.status == 200)
      }
    }
  }

  @Test func otherMachinesNeedATokenOrAPermission() {
    let everywhere = ListenAddress.tcp(host: "0.0.0.0", port: 1)
    #expect(!StatusAccess().permits(everywhere))
    #expect(!StatusAccess(runNowToken: Redacted(run), hosts: ["agent.example"]).permits(everywhere))
    #expect(StatusAccess(readToken: Redacted(read)).permits(everywhere))
    #expect(StatusAccess(allowUnauthenticated: true).permits(everywhere))
    #expect(StatusAccess().permits(.tcp(host: "127.0.0.1", port: 1)))
    #expect(StatusAccess().permits(.unix(path: "/a")))
  }

  /// A name could be led to this machine by whoever owns it; an address could not.
  @Test func namesAreKnownAndAddressesAreAddresses() {
    let local = AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1), further: ["agent.example"])
    for host in ["agent.example", "AGENT.example:80", "localhost", "127.9.9.9:80", "[::1]"] {
      #expect(local.contains(host), "\(host)")
    }
    for host in ["192.0.2.1", "[2001:db8::1]:80", "x.agent.example", "agent.example.evil.example"] {
      #expect(!local.contains(host), "\(host)")
    }
    let remote = AllowedHosts(listen: .tcp(host: "0.0.0.0", port: 1), further: ["agent.example"])
    for host in ["192.0.2.1:9797", "[2001:db8::1]:80", "[::1]", "agent.example:1", "localhost"] {
      #expect(remote.contains(host), "\(host)")
    }
    for host in ["evil.example", "192.0.2.1.evil.example", "1.2.3", "", "[evil.example]"] {
      #expect(!remote.contains(host), "\(host)")
    }
    #expect(!remote.contains(nil))
  }

  /// What is no `host`, `host:port` or `[address]:port` is refused, whichever part of it is a name that is served.
  @Test(
    arguments: [
      "user@localhost", "user:pass@localhost", "localhost:80@evil.example", "localhost@evil.example",
      "@localhost",
      "localhost:80:80", "localhost:x", "localhost:-1", "localhost:+80", "localhost:65536",
      "localhost:000080",
      "localhost:٨٠", "localhost: 80", "localhost/", "localhost/x", "localhost?", "localhost#", "localhost\\",
      "localhost,evil.example", "localhost evil.example", "localhost\u{0}", "localhost\t", ":80", ":", "",
      " ",
      "[::1", "::1]", "::1", "[::1]x", "[::1]80", "[::1]:x", "[::1]:80:80", "[::1]:80@evil.example",
      "[[::1]]",
      "[::1]]", "[]", "[]:80", "[localhost]", "[127.0.0.1]", "[::1%25lo]", "127.0.0.1]", "[127.0.0.1",
      "http://localhost", "localhost:80/",
    ])
  func malformedHosts(_ host: String) {
    for listen in ["127.0.0.1", "::1", "0.0.0.0", "::"] {
      let hosts = AllowedHosts(listen: .tcp(host: listen, port: 1), further: ["agent.example"])
      #expect(!hosts.contains(host), "\(listen)")
    }
  }

  @Test(arguments: [
    "localhost", "localhost:", "LocalHost:80", "127.0.0.1:65535", "[::1]", "[::1]:", "[::1]:8080", "[0:0::1]",
    "agent.example:1",
  ])
  func wholeHosts(_ host: String) {
    let hosts = AllowedHosts(listen: .tcp(host: "0.0.0.0", port: 1), further: ["agent.example"])
    #expect(hosts.contains(host))
  }
}
