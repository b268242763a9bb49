// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Curl

/// What the end of a handshake means, and what a certificate is told to be wrong with.
@Suite struct HandshakeRuleTests {
  /// Alerts of RFC 8446 section 6: some mean a client certificate where one was asked for, one means it always.
  @Test func alerts() {
    let certificate: Set<Int32> = [40, 41, 42, 43, 44, 45, 46, 48, 49]
    for alert in Int32(0)...120 {
      for isAsked in [false, true] {
        let end = HandshakeEnd(alert: alert, clientCertificateRequested: isAsked)
        let kind: TLSFailureKind =
          alert == 116 || isAsked && certificate.contains(alert)
          ? .clientCertificate : alert == 70 ? .protocolVersion : .handshake
        for inHandshake in [false, true] {
          let failure = end.failure(inHandshake: inHandshake)
          #expect(failure?.kind == .tls(kind) && failure?.phase == .tls, "\(alert)")
          #expect(failure?.message.hasPrefix("the server ended tls with alert \(alert): ") == true)
        }
        #expect(end.failure(inHandshake: false, inAnswer: true)?.kind == .reset)
      }
    }
    let words = "the server broke off with tls alert 116: certificate required"
    let failure = HandshakeEnd(alert: 116).failure(inHandshake: false, inAnswer: true)
    #expect(failure == TransferFailure(.reset, phase: .transfer, message: words))
  }

  /// OpenSSL's reason is the lower 23 bits of its code: the library that it names above them does not count.
  @Test(
    arguments: [
      (0, nil), (SSL_R_UNEXPECTED_EOF_WHILE_READING, nil), (SSL_R_UNSUPPORTED_PROTOCOL, .protocolVersion),
      (SSL_R_WRONG_SSL_VERSION, .protocolVersion), (SSL_R_VERSION_TOO_LOW, .protocolVersion),
      (SSL_R_UNSUPPORTED_PROTOCOL + 1, .handshake), (SSL_R_WRONG_SSL_VERSION + 1, .handshake),
      (SSL_R_VERSION_TOO_LOW + 1, .handshake), (SSL_R_UNEXPECTED_EOF_WHILE_READING + 1, .handshake),
      (1, .handshake),
    ] as [(Int32, TLSFailureKind?)])
  func reasons(reason: Int32, kind: TLSFailureKind?) {
    let code = reason == 0 ? 0 : UInt(20) << 23 | UInt(reason)
    let end = HandshakeEnd(errorCode: code)
    #expect(end.failure(inHandshake: true)?.kind == kind.map { .tls($0) })
    #expect(end.failure(inHandshake: false) == nil)
  }

  /// The limit is ours: the message says which, and advice knows it by its words.
  @Test func aChainThatIsTooLong() {
    let end = HandshakeEnd(errorCode: UInt(20) << 23 | UInt(SSL_R_EXCESSIVE_MESSAGE_SIZE))
    #expect(
      end.failure(inHandshake: true)
        == TransferFailure(
          .tls(.handshake), phase: .tls,
          message:
            "tls handshake failed: certificates of more than 100 KiB, or another message that is longer than its kind may be"
        ))
  }

  @Test func aReasonWithoutAName() {
    let end = HandshakeEnd(errorCode: UInt(99) << 23 | 0x7f_0fff)
    #expect(end.failure(inHandshake: true)?.message == "tls handshake failed: code \(0x7f_0fff)")
  }

  /// What outweighs what: our memory, the certificate, a flood, a group, an alert, OpenSSL's code.
  @Test func whatOutweighsWhat() {
    var end = HandshakeEnd(
      problems: [.expired, .weak], alert: 40, errorCode: 1, ownAlert: 20, isFlooded: true)
    end.hugeGroup = 8192
    end.isOutOfMemory = true
    func failure() -> TransferFailure? { end.failure(inHandshake: true) }
    #expect(failure() == TransferFailure(.local(.memory), phase: .tls, message: TransferFailure.noMemory))
    end.isOutOfMemory = false
    let both = "certificate has expired, certificate key or signature is too weak"
    #expect(failure() == TransferFailure(.tls(.certificate(.expired)), phase: .tls, message: both))
    end.words = "certificate has expired (it ended)"
    #expect(failure()?.message == "certificate has expired (it ended)")
    end.problems = []
    #expect(failure() == TransferFailure(.tls(.handshake), phase: .tls, message: HandshakeEnd.flood))
    end.isFlooded = false
    let group = "the server wants a diffie-hellman group of its own with 8192 bits, which takes too long"
    #expect(failure() == TransferFailure(.tls(.handshake), phase: .tls, message: group))
    end.hugeGroup = nil
    #expect(failure()?.message.hasPrefix("the server ended tls with alert 40: ") == true)
    end.alert = nil
    #expect(failure()?.message.hasPrefix("tls handshake failed: ") == true)
    end.errorCode = 0
    #expect(
      failure() == nil && end.damage == "the answer came damaged: a tls record does not fit its checksum")
    end.ownAlert = nil
    #expect(end.damage == nil)
  }

  /// Records that carry no content are counted, in their headers, inside TLS 1.3 and as messages; others are not.
  @Test(
    arguments: [
      (256, 20, true), (256, 21, true), (256, 22, true), (256, 23, false), (257, 20, true), (257, 21, true),
      (257, 22, true), (257, 23, false), (20, 1, true), (21, 1, true), (22, 1, true), (22, 23, true),
      (23, 1, false), (24, 1, false), (0, 1, false),
    ] as [(Int32, UInt8, Bool)])
  func recordsThatCount(content: Int32, first: UInt8, counts: Bool) {
    var budget = RecordBudget()
    for _ in 0..<1500 { #expect(budget.take(content: content, first: first) == true) }
    #expect(budget.take(content: content, first: first) == !counts)
    // None is taken from there on.
    #expect(budget.take(content: 23, first: nil) == !counts)
    #expect(budget.take(content: 256, first: nil) == (counts ? false : true))
  }

  @Test(
    arguments: [
      (X509_V_OK, nil), (X509_V_ERR_CERT_HAS_EXPIRED, .expired),
      (X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD, .expired), (X509_V_ERR_CERT_NOT_YET_VALID, .notYetValid),
      (X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, .notYetValid),
      (X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, .selfSigned), (X509_V_ERR_HOSTNAME_MISMATCH, .hostname),
      (X509_V_ERR_IP_ADDRESS_MISMATCH, .hostname), (X509_V_ERR_EE_KEY_TOO_SMALL, .weak),
      (X509_V_ERR_CA_KEY_TOO_SMALL, .weak), (X509_V_ERR_CA_MD_TOO_WEAK, .weak),
      (X509_V_ERR_EMAIL_MISMATCH, .untrusted), (X509_V_ERR_CERT_REVOKED, .untrusted),
    ] as [(Int32, CertificateProblem?)])
  func verifyErrors(code: Int32, problem: CertificateProblem?) {
    let error = VerifyError(code: code, depth: 0)
    #expect(error.problem == problem)
    #expect(CertificateVerdict.problems(of: [error], isBuilt: true) == [problem].compactMap(\.self))
    #expect(CertificateVerdict.problems(of: [error], isBuilt: false) == [problem ?? .untrusted])
  }

  @Test func problemsInTheirOrder() {
    let all: [CertificateProblem] = [.selfSigned, .untrusted, .expired, .notYetValid, .hostname, .weak]
    #expect(CertificateProblem.allCases == all && CertificateVerdict.ordered(all.reversed() + all) == all)
    #expect(CertificateProblem.selfSigned < .untrusted && !(CertificateProblem.weak < .hostname))
    #expect(!(CertificateProblem.weak < .weak))
    for digest in [NID_sha1, NID_md5, NID_md5_sha1, NID_md4, NID_md2] {
      #expect(CertificateVerdict.isWeak(signatureDigest: digest))
    }
    for digest in [NID_sha224, NID_sha256, NID_sha384, NID_sha512, NID_undef] {
      #expect(!CertificateVerdict.isWeak(signatureDigest: digest))
    }
  }

  /// The first of each kind is told; a host and the server's own signature have no more to tell.
  @Test func detailsOfProblems() {
    let errors = [
      VerifyError(code: X509_V_ERR_HOSTNAME_MISMATCH, depth: 0, subject: "CN=a"),
      VerifyError(code: X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, depth: 0, subject: "CN=a"),
      VerifyError(code: X509_V_OK, depth: 0),
      VerifyError(code: X509_V_ERR_CERT_NOT_YET_VALID, depth: 2, subject: "CN=b", notAfter: 86_400),
      VerifyError(code: X509_V_ERR_CERT_NOT_YET_VALID, depth: 1, subject: "CN=c", notAfter: 86_400),
      VerifyError(code: X509_V_ERR_EE_KEY_TOO_SMALL, depth: 0, subject: "CN=a"),
      VerifyError(code: X509_V_ERR_CERT_HAS_EXPIRED, depth: 3, notAfter: 172_799),
    ]
    #expect(
      CertificateVerdict.details(of: errors) == [
        .notYetValid: "not the server's own, but 2 above it, CN=b",
        .weak: "the server's own, CN=a",
        .expired: "not the server's own, but 3 above it; it ended on 1970-01-02",
      ])
  }

  /// Which certificate is weak, and what of it: the server's own, where it is among them.
  @Test func detailsOfWeakness() {
    func words(_ errors: VerifyError...) -> String? { CertificateVerdict.details(of: errors)[.weak] }
    let key = X509_V_ERR_CA_MD_TOO_WEAK
    let above = VerifyError(code: key, depth: 1, subject: "CN=b", weakness: "RSA key of 1024 bits")
    let own = VerifyError(code: key, depth: 0, subject: "CN=a", weakness: "SHA-1 signature")
    #expect(words(above) == "not the server's own, but 1 above it, CN=b; RSA key of 1024 bits")
    #expect(words(own, above) == "the server's own, CN=a; SHA-1 signature")
    #expect(words(above, own) == "the server's own, CN=a; SHA-1 signature")
    #expect(
      words(VerifyError(code: key, depth: 0, weakness: "EC key of 192 bits"))
        == "the server's own; EC key of 192 bits")
    for (digest, name) in [(NID_sha1, "SHA-1"), (NID_md5, "MD5"), (NID_md5_sha1, "MD5 and SHA-1")] {
      #expect(CertificateVerdict.weakness(signatureDigest: digest) == "\(name) signature")
    }
    #expect(CertificateVerdict.weakness(signatureDigest: NID_sha256) == nil)
  }

  /// A serial number may be negative, which RFC 5280 forbids and some certificates have.
  @Test(arguments: [("-5", "-05"), ("5", "05"), ("255", "FF")])
  func aSerialHasItsSign(number: String, serial: String) async throws {
    try await withTemporaryDirectory { folder in
      try runTool(
        "/usr/bin/openssl",
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k",
          "-out", "c", "-subj", "/CN=a", "-set_serial", number,
        ], in: folder)
      let file = try #require(BIO_new_file(folder.appending(path: "c").path, "r"))
      defer { BIO_free(file) }
      let certificate = try #require(PEM_read_bio_X509(file, nil, nil, nil))
      defer { X509_free(certificate) }
      #expect(CertificateReader.read(certificate).serial.uppercased() == serial)
    }
  }

  @Test func theEndOfAChain() {
    func leaf(_ end: Int64) -> PresentedCertificate {
      PresentedCertificate(
        subject: "", issuer: "", notBefore: 0, notAfter: end, serial: "", sha256: "", alternativeNames: [])
    }
    func report(_ chain: [PresentedCertificate], _ path: Int64?, _ problems: [CertificateProblem] = [])
      -> TLSReport
    {
      TLSReport(version: "TLSv1.3", cipher: nil, chain: chain, problems: problems, pathNotAfter: path)
    }
    #expect(report([leaf(10), leaf(5)], nil).earliestEnd == 10)
    #expect(report([leaf(10)], 7).earliestEnd == 7 && report([leaf(10)], 12).earliestEnd == 10)
    #expect(report([], 7).earliestEnd == nil)
    #expect(report([], nil).verified && !report([], nil, [.weak]).verified)
    #expect(
      report([], nil, [.weak, .hostname]).words
        == "certificate key or signature is too weak, certificate is for another host")
    #expect(!report([], nil).isStapleMissing && leaf(1).nameCount == 0)
  }

  /// An end of which nothing is known shows no failure.
  @Test func anEndWithoutATrace() {
    let end = HandshakeEnd()
    #expect(end.problems.isEmpty && end.words.isEmpty && end.alert == nil && end.ownAlert == nil)
    #expect(end.errorCode == 0 && !end.isFlooded && !end.clientCertificateRequested)
    for isWithin in [true, false] { #expect(end.failure(inHandshake: isWithin) == nil) }
  }

  /// A connection stands when the kernel takes bytes for it, an answer is there when there are bytes; an end is both.
  @Test func whatEventsBring() {
    let (readable, writable) = (LoopThread.readable, LoopThread.writable)
    for (events, connects, answers) in [
      (0, false, false), (readable, false, true), (writable, true, false), (readable | writable, true, true),
      (LoopThread.ended, true, true),
    ] as [(UInt32, Bool, Bool)] {
      #expect(ArrivalClock.brings(.connection, events) == connects)
      #expect(ArrivalClock.brings(.answer, events) == answers)
    }
  }
}
