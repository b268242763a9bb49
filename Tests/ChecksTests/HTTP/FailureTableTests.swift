// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks

/// Tables of what a transfer's failure and a token's answer mean: every row of them.
@Suite struct FailureTableTests {
  /// Every kind of failure, in each phase where that matters.
  @Test(
    arguments: [
      (.connectRefused, .connect, .connectRefused), (.unreachable, .connect, .connectUnreachable),
      (.reset, .firstByte, .connectionReset), (.closed, .transfer, .connectionClosed),
      (.timeout, .prepare, .connectTimeout), (.timeout, .connect, .connectTimeout),
      (.timeout, .proxy, .proxyConnect), (.timeout, .tls, .tlsTimeout),
      (.timeout, .firstByte, .firstByteTimeout), (.timeout, .transfer, .transferTimeout),
      (.tls(.certificate(.expired)), .tls, .tlsExpired),
      (.tls(.certificate(.notYetValid)), .tls, .tlsNotYetValid),
      (.tls(.certificate(.hostname)), .tls, .tlsHostname),
      (.tls(.certificate(.selfSigned)), .tls, .tlsSelfSigned),
      (.tls(.certificate(.untrusted)), .tls, .tlsUntrusted), (.tls(.certificate(.weak)), .tls, .tlsWeak),
      (.tls(.protocolVersion), .tls, .tlsProtocol), (.tls(.clientCertificate), .tls, .tlsClientCertificate),
      (.tls(.handshake), .tls, .tlsHandshake), (.httpProtocol, .transfer, .httpProtocol),
      (.headersTooLarge, .transfer, .headersTooLarge), (.bodyTooLarge, .transfer, .bodyTooLarge),
      (.proxyConnect, .proxy, .proxyConnect), (.proxyAuthentication, .proxy, .proxyAuth),
      (.local(.trustStore), .prepare, .localFault), (.local(.request), .prepare, .localFault),
      (.local(.busy), .transfer, .localFault), (.local(.memory), .tls, .localFault),
    ] as [(TransferFailureKind, TransferPhase, Reason)])
  func reasons(kind: TransferFailureKind, phase: TransferPhase, reason: Reason) {
    #expect(Reason(TransferFailure(kind, phase: phase, message: "words")) == reason)
  }

  @Test func phases() {
    #expect(
      TransferPhase.allCases.map(Phase.init) == [.prepare, .connect, .proxy, .tls, .firstByte, .transfer])
  }

  private func verdict(
    _ failure: TransferFailure, lateness: Duration = .zero,
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> Verdict {
    let dialled = DialledTransfer(
      report: TransferReport(outcome: .failed(failure)),
      peer: SocketAddress(.v4(0x0102_0304), port: 443, source: .v4(0x0a00_0001)), elapsed: .zero,
      lateness: lateness)
    let check = try httpCheck("https://site.test/") {
      $0.timeout = .seconds(10)
      change(&$0)
    }
    return Verdict(failure, of: dialled, at: Endpoint(host: "site.test", port: 443), for: check)
  }

  /// Words where the failure alone says too little: the limit that is configured, and the errno of a system call.
  @Test func words() throws {
    let parts: [(TransferPhase, ConnectionWords.Part, String)] = [
      (.connect, .connection, "no connection within the timeout of 10s"),
      (.tls, .handshake, "connected, but the tls handshake did not end within the timeout of 10s"),
      (.firstByte, .answer, "connected, but no answer came within the timeout of 10s"),
      (.transfer, .rest, "the answer did not end within the timeout of 10s"),
    ]
    for (phase, part, words) in parts {
      let failure = TransferFailure(.timeout, phase: phase, message: ConnectionWords.overdue(part))
      #expect(try verdict(failure).message == "1.2.3.4:443: \(words)")
      // Other words than those of the time limit are left as they are.
      let other = TransferFailure(.timeout, phase: phase, message: "words")
      #expect(try verdict(other).message == "1.2.3.4:443: words")
    }
    let large = TransferFailure(.bodyTooLarge, phase: .transfer, message: "words")
    #expect(
      try verdict(large) { $0.maxBody = 1000 }
        == Verdict(
          .bodyTooLarge, phase: .transfer,
          message: "1.2.3.4:443: the body is larger than max_body, 1000 bytes"))
    let proxied = try verdict(large) { $0.proxy = Redacted("http://proxy.test:3128") }
    #expect(proxied.message == "site.test:443: the body is larger than max_body, 1048576 bytes")
    // 99 is EADDRNOTAVAIL: the check's own source address is at fault.
    let source = TransferFailure(.local(.system(errno: 99)), phase: .connect, message: "words")
    #expect(
      try verdict(source)
        == Verdict(
          .localFault, phase: .prepare, message: "source_address 10.0.0.1 is no address of this machine"))
    let late = TransferFailure(.timeout, phase: .connect, message: "words")
    #expect(try verdict(late, lateness: .milliseconds(2000)).reason == .connectTimeout)
    #expect(
      try verdict(late, lateness: .milliseconds(2001))
        == Verdict(
          .localFault, phase: .connect,
          message: "this machine was busy: its transfer thread was 2001 ms late"))
  }

  // MARK: The token endpoint

  private func token(_ body: String, status: Int? = 200) -> TokenAnswer {
    var report = TransferReport(outcome: .complete)
    (report.statusCode, report.body) = (status, Array(body.utf8))
    return TokenAnswer(report)
  }

  /// Section 5.1 of RFC 6749: what is a token, and for how long it is good; a day at most.
  @Test(
    arguments: [
      (#"{"access_token":"t"}"#, nil), (#"{"access_token":"t","expires_in":3600}"#, 3600),
      (#"{"access_token":"t","expires_in":"60"}"#, 60), (#"{"access_token":"t","expires_in":0}"#, nil),
      (#"{"access_token":"t","expires_in":-1}"#, nil), (#"{"access_token":"t","expires_in":"x"}"#, nil),
      (#"{"access_token":"t","expires_in":86400}"#, 86_400),
      (#"{"access_token":"t","expires_in":86401}"#, 86_400),
      (#"{"access_token":"t","token_type":"BEARER"}"#, nil),
    ] as [(String, Int?)])
  func tokens(body: String, seconds: Int?) {
    #expect(token(body) == .token("t", lifetime: seconds.map { .seconds($0) }))
  }

  @Test(
    arguments: [
      ("{}", 200, "no usable access_token", false), ("[", 200, "an answer that is no JSON", false),
      (#"{"access_token":""}"#, 200, "no usable access_token", false),
      (#"{"access_token":"a b"}"#, 200, "no usable access_token", false),
      (#"{"access_token":"a\u007f"}"#, 200, "no usable access_token", false),
      (#"{"access_token":"ä"}"#, 200, "no usable access_token", false),
      (#"{"access_token":7}"#, 200, "no usable access_token", false),
      (#"{"access_token":"t","token_type":"mac"}"#, 200, "a token that is no bearer token", false),
      (#"{"error":"invalid_client"}"#, 200, "status 200, invalid_client", true),
      (#"{"error":"invalid_scope"}"#, 200, "status 200, invalid_scope", false),
      (#"{"error":"canary"}"#, 200, "no usable access_token", false),
      (#"{"access_token":"t"}"#, 201, "status 201", false), ("", nil, "no answer", false),
      (#"{"error":"invalid_request"}"#, 400, "status 400, invalid_request", false),
      (#"{"error":"invalid_client"}"#, 400, "status 400, invalid_client", true),
      (#"{"error":"invalid_grant"}"#, 400, "status 400, invalid_grant", false),
      (#"{"error":"unauthorized_client"}"#, 400, "status 400, unauthorized_client", false),
      (#"{"error":"unsupported_grant_type"}"#, 400, "status 400, unsupported_grant_type", false),
      (#"{"error":"invalid_scope"}"#, 401, "status 401, invalid_scope", true),
      (#"{"error":"canary"}"#, 403, "status 403", false), ("", 401, "status 401", true),
    ] as [(String, Int?, String, Bool)])
  func refusals(body: String, status: Int?, words: String, isAboutClient: Bool) {
    #expect(token(body, status: status) == .refused(words, isAboutClient: isAboutClient))
  }

  /// A token of 8 KiB is one, and no longer one.
  @Test func longTokens() {
    func answer(_ count: Int) -> TokenAnswer {
      token(#"{"access_token":""# + String(repeating: "a", count: count) + #""}"#)
    }
    #expect(answer(8192) == .token(String(repeating: "a", count: 8192), lifetime: nil))
    #expect(answer(8193) == .refused("no usable access_token", isAboutClient: false))
  }

  /// The request for one: section 4.4.2, with the client's proof in the header or in the body, and never in both.
  @Test func theRequestForAToken() throws {
    let settings = OAuth2Settings(
      tokenURL: try HTTPURL("https://id.test/token"), clientID: "a b", clientSecret: Redacted("ü&1"),
      scopes: ["read", "x*.-_~"])
    let header = TokenRequest(settings: settings, proof: .header).transfer(userAgent: "test")
    #expect(header.method == "POST" && header.url == "https://id.test/token")
    #expect(header.goal == .body(limit: 65_536) && header.httpVersion == .http11)
    // "a+b:%C3%BC%261" in base 64.
    #expect(
      header.headers.map { "\($0.name): \($0.value.reveal())" } == [
        "User-Agent: test", "Accept: application/json", "Content-Type: application/x-www-form-urlencoded",
        "Authorization: Basic YStiOiVDMyVCQyUyNjE=",
      ])
    #expect(
      String(decoding: header.body ?? [], as: UTF8.self)
        == "grant_type=client_credentials&scope=read+x*.-_%7E")
    let body = TokenRequest(settings: settings, proof: .body).transfer(userAgent: "test")
    #expect(body.headers.map(\.name) == ["User-Agent", "Accept", "Content-Type"])
    #expect(
      String(decoding: body.body ?? [], as: UTF8.self)
        == "grant_type=client_credentials&scope=read+x*.-_%7E&client_id=a+b&client_secret=%C3%BC%261")
    let bare = OAuth2Settings(
      tokenURL: try HTTPURL("https://id.test/"), clientID: "a", clientSecret: Redacted("b"))
    #expect(
      TokenRequest(settings: bare, proof: .header).transfer(userAgent: "test").body
        == Array("grant_type=client_credentials".utf8))
  }
}
