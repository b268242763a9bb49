// SPDX-License-Identifier: MIT

import CCurl
import COpenSSL
import Glibc
import Testing

@testable import Curl

/// Ends that no server on loopback can bring about, or not on command.
@Suite struct TransferJudgeTests {
  @Test(arguments: [
    (ENETUNREACH, TransferFailureKind.local(.system(errno: ENETUNREACH))),
    (EADDRNOTAVAIL, .local(.system(errno: EADDRNOTAVAIL))), (EMFILE, .local(.system(errno: EMFILE))),
    (ENFILE, .local(.system(errno: ENFILE))), (ENOMEM, .local(.system(errno: ENOMEM))),
    (EPERM, .local(.system(errno: EPERM))), (ECONNREFUSED, .connectRefused), (EHOSTUNREACH, .unreachable),
    (ETIMEDOUT, .timeout), (ECONNRESET, .reset),
  ])
  func theSystemsErrnoDecidesWhoseFaultItIs(code: Int32, kind: TransferFailureKind) {
    let end = TransferEnd(code: CURLE_COULDNT_CONNECT, systemError: code, phase: .connect)
    #expect(end.outcome.failure?.kind == kind)
    #expect(end.outcome.failure?.phase == .connect)
  }

  /// Until the request is out; from then on what is wrong came from the server.
  @Test(arguments: [
    (TransferPhase.prepare, TransferFailureKind.local(.library(code: 6))),
    (.connect, .local(.library(code: 6))),
    (.tls, .local(.library(code: 6))), (.firstByte, .httpProtocol), (.transfer, .httpProtocol),
  ])
  func aCodeNobodyExpectsIsOurs(phase: TransferPhase, kind: TransferFailureKind) {
    let end = TransferEnd(code: CURLE_COULDNT_RESOLVE_HOST, phase: phase)
    #expect(end.outcome.failure?.kind == kind)
  }

  /// Some proxies answer CONNECT with 401; behind the tunnel it is the target's word.
  @Test func aTargetsChallengeIsNotTheProxys() {
    let refused = TransferEnd(code: CURLE_RECV_ERROR, phase: .proxy, proxy: ProxyEnd(status: 401))
    #expect(refused.outcome.failure?.kind == .proxyAuthentication)
    for phase in [TransferPhase.firstByte, .transfer] {
      let end = TransferEnd(code: CURLE_OK, phase: phase, proxy: ProxyEnd(status: 401))
      #expect(end.outcome == .complete)
      let asked = TransferEnd(code: CURLE_OK, phase: phase, proxy: ProxyEnd(status: 407))
      #expect(asked.outcome.failure?.kind == .proxyAuthentication)
    }
  }

  @Test(arguments: [
    (Int32(116), false, TLSFailureKind.clientCertificate), (40, true, .clientCertificate),
    (40, false, .handshake),
    (42, true, .clientCertificate), (48, true, .clientCertificate), (70, false, .protocolVersion),
    (112, true, .handshake),
  ])
  func theAlertSaysWhy(alert: Int32, requested: Bool, kind: TLSFailureKind) {
    let handshake = HandshakeEnd(alert: alert, clientCertificateRequested: requested)
    // TLS 1.3 servers refuse a client after the client's side of the handshake was complete.
    for phase in [TransferPhase.tls, .firstByte] {
      let end = TransferEnd(
        code: CURLE_RECV_ERROR, systemError: ECONNRESET, phase: phase, handshake: handshake)
      #expect(end.outcome.failure?.kind == .tls(kind))
      #expect(end.outcome.failure?.phase == .tls)
    }
  }

  @Test func anAlertInTheAnswerIsNotAboutTheHandshake() {
    let end = TransferEnd(
      code: CURLE_RECV_ERROR, phase: .transfer, handshake: HandshakeEnd(alert: 20))
    #expect(end.outcome.failure?.kind == .reset)
    #expect(end.outcome.failure?.phase == .transfer)
    #expect(end.outcome.failure?.message.contains("alert 20") == true)
  }

  /// OpenSSL tells the other side what it could not read.
  @Test(arguments: [
    (Int32(20), "the answer came damaged: a tls record does not fit its checksum"),
    (22, "the answer breaks the rules of tls: record overflow"),
  ])
  func ourOwnAlertSaysThatTheAnswerIsDamaged(alert: Int32, message: String) {
    for phase in [TransferPhase.firstByte, .transfer] {
      let end = TransferEnd(code: CURLE_RECV_ERROR, phase: phase, handshake: HandshakeEnd(ownAlert: alert))
      #expect(end.outcome.failure == TransferFailure(.httpProtocol, phase: phase, message: message))
    }
  }

  /// libcurl has one code for an empty answer and for frames that nobody can read.
  @Test(arguments: [(true, TransferFailureKind.httpProtocol), (false, .closed)])
  func nothingOverHTTP2IsNoHTTP2(chose: Bool, kind: TransferFailureKind) {
    var end = TransferEnd(
      code: CURLE_GOT_NOTHING, phase: .firstByte, hasAnswer: false, handshake: HandshakeEnd())
    end.choseHTTP2 = chose
    #expect(end.outcome.failure?.kind == kind)
  }

  @Test func everySOCKSFailureHasWords() {
    for code in 1..<CURLPX_LAST.rawValue {
      let end = TransferEnd(code: CURLE_PROXY, phase: .proxy, proxy: ProxyEnd(code: code))
      let message = end.outcome.failure?.message.replacing("SOCKS 5", with: "") ?? "1"
      #expect(!message.contains { $0.isNumber }, "\(code)")
    }
  }

  @Test(arguments: [
    (CURLPX_CLOSED, "the proxy ended the connection"),
    (CURLPX_REPLY_UNASSIGNED, "the proxy refused with a code that SOCKS does not have"),
  ])
  func aSOCKSProxyThatBreaksTheRulesIsTold(code: CURLproxycode, message: String) {
    let end = TransferEnd(code: CURLE_PROXY, phase: .proxy, proxy: ProxyEnd(code: code.rawValue))
    #expect(end.outcome.failure?.message == message)
  }

  /// A server that speaks TLS 1.3 may refuse when our side of the handshake is long done.
  @Test func aFailureInTLSLastsUntilTheEnd() {
    var times = TransferTimes()
    (times.connectStart, times.connected, times.tlsDone) = (.zero, .milliseconds(1), .milliseconds(3))
    (times.requestStart, times.ended) = (.milliseconds(4), .milliseconds(504))
    let spans = TransferSpans(times, failedIn: .tls)
    #expect(spans.tls == .milliseconds(502))
    #expect(spans.firstByte == nil)
    times.tlsDone = nil
    times.requestStart = nil
    #expect(TransferSpans(times, failedIn: .tls).tls == .milliseconds(503))
  }

  @Test func aCutCodingIsNoCompleteAnswer() {
    var end = TransferEnd(code: CURLE_OK, phase: .transfer)
    end.isCut = true
    #expect(end.outcome.failure?.kind == .closed)
  }

  @Test func ourOwnStopOutweighsWhateverLibcurlMadeOfIt() {
    let end = TransferEnd(
      code: CURLE_WRITE_ERROR, systemError: ECONNRESET, stop: .goalReached, phase: .transfer)
    #expect(end.outcome == .complete)
  }

  @Test func severalProblemsAreAllTold() {
    let handshake = HandshakeEnd(problems: [.untrusted, .expired], alert: 42)
    let end = TransferEnd(code: CURLE_PEER_FAILED_VERIFICATION, phase: .tls, handshake: handshake)
    #expect(end.outcome.failure?.kind == .tls(.certificate(.untrusted)))
    #expect(end.outcome.failure?.message == "certificate is not trusted, certificate has expired")
  }

  /// Of the first of its kind; the words are OpenSSL's, the places ours.
  @Test func aProblemSaysWhy() {
    let errors = [
      VerifyError(code: X509_V_ERR_INVALID_PURPOSE, depth: 0),
      VerifyError(code: X509_V_ERR_PATH_LENGTH_EXCEEDED, depth: 1),
      VerifyError(code: X509_V_ERR_CERT_HAS_EXPIRED, depth: 1),
    ]
    let report = TLSReport(
      version: "TLSv1.3", cipher: nil, chain: [], problems: [.untrusted, .expired],
      details: CertificateVerdict.details(of: errors))
    #expect(
      report.words == "certificate is not trusted (unsuitable certificate purpose), "
        + "certificate has expired (not the server's own, but 1 above it)")
    // OpenSSL tells of what is above first.
    let own = [1, 0].map { VerifyError(code: X509_V_ERR_CERT_HAS_EXPIRED, depth: $0) }
    #expect(CertificateVerdict.details(of: own).isEmpty)
  }

  /// The day is that of the certificate which is meant: the server's own where it is among them, else the first.
  @Test(arguments: [
    (above: Int64(86_400), own: Int64?(172_800), words: "CN=shop; it ended on 1970-01-03"),
    (172_800, 86_400, "CN=shop; it ended on 1970-01-02"),
    (86_400, nil, "not the server's own, but 1 above it, CN=between; it ended on 1970-01-02"),
  ])
  func theDayOfWhatHasExpired(above: Int64, own: Int64?, words: String) {
    let expired = X509_V_ERR_CERT_HAS_EXPIRED
    var errors = [VerifyError(code: expired, depth: 1, subject: "CN=between", notAfter: above)]
    if let own { errors.append(VerifyError(code: expired, depth: 0, subject: "CN=shop", notAfter: own)) }
    #expect(CertificateVerdict.details(of: errors) == [.expired: words])
  }

  /// A certificate from the future says from which day on it is valid.
  @Test func theDayOfWhatIsNotYetValid() {
    let error = VerifyError(
      code: X509_V_ERR_CERT_NOT_YET_VALID, depth: 0, subject: "CN=shop", notAfter: 172_800, notBefore: 86_400)
    #expect(
      CertificateVerdict.details(of: [error]) == [.notYetValid: "CN=shop; it begins on 1970-01-02"])
  }

  /// A certificate for another host says for which: three names at most, its subject where it has none.
  @Test(
    arguments: [
      (["a.test"], 1, "CN=x", "it is for a.test"),
      (["a.test", "192.0.2.1", "*.c.test"], 3, "CN=x", "it is for a.test, 192.0.2.1, *.c.test"),
      (["a.test", "b.test", "c.test", "d.test"], 70, "CN=x", "it is for a.test, b.test, c.test and 67 more"),
      (["a\u{202e}.test"], 1, "", #"it is for a\u{202e}.test"#),
      ([], 0, "CN=x", "it names none; its subject is CN=x"), ([], 0, "", "it names none"),
    ] as [([String], Int, String, String)])
  func theHostsOfACertificate(names: [String], count: Int, subject: String, words: String) {
    let leaf = PresentedCertificate(
      subject: subject, issuer: "", notBefore: 0, notAfter: 1, serial: "", sha256: "",
      alternativeNames: names, nameCount: count)
    #expect(CertificateVerdict.names(of: leaf) == words)
  }

  @Test(arguments: [
    (X509_V_ERR_CERT_HAS_EXPIRED, CertificateProblem.expired), (X509_V_ERR_CERT_NOT_YET_VALID, .notYetValid),
    (X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, .selfSigned),
    (X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, .untrusted),
    (X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, .untrusted), (X509_V_ERR_CERT_SIGNATURE_FAILURE, .untrusted),
    (X509_V_ERR_INVALID_CA, .untrusted), (X509_V_ERR_HOSTNAME_MISMATCH, .hostname),
    (X509_V_ERR_EE_KEY_TOO_SMALL, .weak), (X509_V_ERR_INVALID_PURPOSE, .untrusted),
  ])
  func verifyErrorsHaveOneNameEach(code: Int32, problem: CertificateProblem) {
    #expect(CertificateVerdict.problem(verifyError: code) == problem)
  }
}

extension TransferOutcome {
  fileprivate var failure: TransferFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
