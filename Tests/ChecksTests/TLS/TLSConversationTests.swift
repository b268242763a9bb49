// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// TLS over a conversation of the reactor, against a real nginx.
@Suite(.timeLimit(.minutes(2))) struct TLSConversationTests {
  /// Asks for a page and keeps what comes.
  struct Page: Conversation {
    var seen: [UInt8] = []

    mutating func opened(at now: Instant) -> ConversationStep {
      ConversationStep(send: Array("GET /page HTTP/1.0\r\nHost: good.test\r\n\r\n".utf8))
    }

    mutating func received(
      _ bytes: ArraySlice<UInt8>, from sender: IPAddress?, at now: Instant
    ) -> ConversationStep {
      seen += bytes
      return seen.count > 100_000 ? .done : .wait
    }
  }

  private static let versions = "ssl_protocols TLSv1.2 TLSv1.3;"

  private func withServer(
    _ lines: [String] = ["return 200 'a page';"], _ leaf: TestAuthority.Leaf = TestAuthority.Leaf(),
    _ body: (_ port: UInt16, _ authority: TestAuthority) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(
        lines.contains { $0.hasPrefix("ssl_protocols") } ? lines : [Self.versions] + lines,
        identity: try authority.issue("leaf", leaf))
      try await withNginx(in: folder, [site]) { try await body($0[0], authority) }
    }
  }

  private func conversation<Spoken: Conversation>(
    _ conversation: Spoken, _ port: UInt16, _ authority: TestAuthority, host: String = "good.test",
    _ options: TLSOptions = TLSOptions()
  ) async throws -> (Spoken, FlowReport, TLSSummary) {
    let session = try await TLSClient(trust: TrustStore(bundle: authority.rootFile))
      .session(host: host, options: options)
    let outcome = try await Reactor().converse(
      TLSConversation(conversation, over: session), over: .tcp, with: SocketAddress(.loopback, port: port),
      until: .after(.seconds(10)))
    return (outcome.conversation.inner, outcome.report, outcome.conversation.session.summary)
  }

  @Test func speaksInside() async throws {
    try await withServer { port, authority in
      let (page, report, tls) = try await conversation(Page(), port, authority)
      #expect(String(decoding: page.seen, as: UTF8.self).hasSuffix("\r\n\r\na page"))
      #expect(tls.failure == nil && tls.isClosed)
      #expect(tls.report?.version == "TLSv1.3" && tls.report?.verified == true)
      let connected = try #require(report.connected)
      let started = try #require(tls.started)
      #expect(connected <= started)
      #expect(try #require(tls.elapsed) > .zero)
      #expect(try started + #require(tls.elapsed) <= report.ended)
    }
  }

  @Test func aLongAnswerComesWhole() async throws {
    try await withServer(["return 200 '\(String(repeating: "0123456789", count: 400))';"]) {
      port, authority in
      let (page, _, _) = try await conversation(Page(), port, authority)
      #expect(page.seen.suffix(10) == Array("0123456789".utf8)[...])
      #expect(page.seen.count > 4000)
    }
  }

  @Test func nothingIsSaidToTheWrongServer() async throws {
    var leaf = TestAuthority.Leaf()
    leaf.names = ["DNS:other.test"]
    try await withServer(["return 200 'a page';"], leaf) { port, authority in
      let (page, _, tls) = try await conversation(Page(), port, authority)
      #expect(page.seen.isEmpty)
      #expect(tls.failure?.kind == .tls(.certificate(.hostname)))
      #expect(tls.done == nil && tls.report?.chain.count == 1)
    }
  }

  @Test(arguments: [("1.2", "TLSv1.2"), ("1.3", "TLSv1.3")])
  func keepsToItsVersions(choice: String, expected: String) async throws {
    try await withServer { port, authority in
      let version = try #require(TLSVersion(rawValue: choice))
      let options = TLSOptions(minimumVersion: version, maximumVersion: version)
      let (_, _, tls) = try await conversation(Silence(), port, authority, options)
      #expect(tls.failure == nil && tls.report?.version == expected)
    }
  }

  @Test func anOlderServerIsAProtocolFailure() async throws {
    try await withServer(["ssl_protocols TLSv1.2;", "return 200;"]) { port, authority in
      let (_, _, tls) = try await conversation(Silence(), port, authority, TLSOptions(minimumVersion: .v13))
      #expect(tls.failure?.kind == .tls(.protocolVersion))
    }
  }

  /// Under TLS 1.3 the refusal comes after our side is done; under 1.2 before.
  @Test(arguments: [TLSVersion.v12, .v13])
  func aClientCertificateIsShownWhenAskedFor(version: TLSVersion) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let client = try authority.issue("client")
      let stranger = try TestAuthority(in: folder, name: "stranger").issue("stranger")
      let lines = [
        Self.versions, "ssl_client_certificate \(authority.rootFile);", "ssl_verify_client on;",
        "return 200;",
      ]
      let site = NginxSite(lines, identity: try authority.issue("leaf"))
      try await withNginx(in: folder, [site]) { ports in
        var options = TLSOptions(minimumVersion: version, maximumVersion: version)
        (options.clientCertificate, options.clientKey) = (client.certificate, client.key)
        let (page, _, tls) = try await conversation(Page(), ports[0], authority, options)
        #expect(tls.failure == nil)
        #expect(String(decoding: page.seen, as: UTF8.self).contains(" 200 OK"))

        (options.clientCertificate, options.clientKey) = (client.certificate, stranger.key)
        await #expect(throws: TLSUnavailable.self) {
          _ = try await conversation(Silence(), ports[0], authority, options)
        }
      }
    }
  }

  @Test func missingFilesAreThisMachinesFault() async throws {
    let trust = TrustStore(bundle: "/nonexistent.pem")
    await #expect(throws: TLSUnavailable.self) {
      _ = try await TLSClient(trust: trust).session(host: "good.test", options: TLSOptions())
    }
    await #expect(throws: TLSUnavailable.self) {
      _ = try await TLSClient(trust: TrustStore()).session(
        host: "good.test", options: TLSOptions(clientCertificate: "/nonexistent.pem"))
    }
  }
}
