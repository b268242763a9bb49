// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Faults of TLS, one named test each, as an http probe sees them.
@Suite(.timeLimit(.minutes(2))) struct FaultTLSTests {
  enum Variant: String, CaseIterable, Sendable {
    case expired, notYetValid, wrongHost, selfSigned, untrusted, nameWithoutSAN, weakKey, sha1, wrongUse,
      wrongKeyUse
  }

  private static let reasons: [(Variant, Reason)] = [
    (.expired, .tlsExpired), (.notYetValid, .tlsNotYetValid), (.wrongHost, .tlsHostname),
    (.selfSigned, .tlsSelfSigned),
    (.untrusted, .tlsUntrusted), (.nameWithoutSAN, .tlsHostname), (.weakKey, .tlsWeak), (.sha1, .tlsWeak),
    (.wrongUse, .tlsUntrusted), (.wrongKeyUse, .tlsUntrusted),
  ]

  private func identity(_ variant: Variant, in folder: URL, _ authority: TestAuthority) throws
    -> TestAuthority.Identity
  {
    var leaf = TestAuthority.Leaf()
    switch variant {
    case .expired: (leaf.from, leaf.until) = (-90, -2.5)
    case .notYetValid: (leaf.from, leaf.until) = (2, 90.5)
    case .wrongHost: leaf.names = ["DNS:other.test"]
    case .selfSigned: return try authority.selfSigned("self", leaf)
    case .untrusted: return try TestAuthority(in: folder, name: "stranger").issue("theirs", leaf)
    case .nameWithoutSAN: (leaf.names, leaf.commonName) = (["email:a@good.test"], "good.test")
    case .weakKey: leaf.key = TestAuthority.Leaf.weakKey
    case .sha1: leaf.digest = "sha1"
    case .wrongUse: leaf.extensions = ["extendedKeyUsage = clientAuth"]
    case .wrongKeyUse:
      // No server signs with an elliptic key that may not sign.
      (leaf.key, leaf.extensions) = (["-newkey", "rsa:2048"], ["keyUsage = critical,cRLSign"])
    }
    return try authority.issue(variant.rawValue, leaf)
  }

  private func probe(
    _ files: TestAuthority.Identity, _ authority: TestAuthority, in folder: URL, lines: [String] = []
  ) async throws -> ProbeOutcome {
    let site = NginxSite(["ssl_ciphers ALL:@SECLEVEL=0;"] + lines + ["return 204;"], identity: files)
    return try await withNginx(in: folder, [site]) { ports in
      try await ProbeBench().http(
        try httpCheck("https://good.test:\(ports[0])/") { $0.tls.caFile = authority.rootFile })
    }
  }

  @Test("L1: each bad certificate has its own reason, and its facts stay", arguments: reasons)
  func badCertificates(variant: Variant, reason: Reason) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let outcome = try await probe(try identity(variant, in: folder, authority), authority, in: folder)
      #expect(outcome.verdict.reason == reason, "\(outcome.verdict)")
      #expect(outcome.verdict.phase == .tls)
      let facts = try #require(outcome.tls)
      #expect(!facts.verified && facts.verifyError != nil)
      #expect(
        facts.daysRemaining
          == (variant == .expired ? -3 : variant == .notYetValid ? 90 : variant == .selfSigned ? 29 : 89))
      #expect(facts.version != nil && facts.cipher != nil)
    }
  }

  @Test("L1: everything that is wrong is told")
  func allProblems() async throws {
    try await withTemporaryDirectory { folder in
      let (ours, theirs) = (try TestAuthority(in: folder), try TestAuthority(in: folder, name: "stranger"))
      var leaf = TestAuthority.Leaf()
      (leaf.from, leaf.until, leaf.names, leaf.key) = (
        -90, -2.5, ["DNS:other.test"], TestAuthority.Leaf.weakKey
      )
      let outcome = try await probe(try theirs.issue("worst", leaf), ours, in: folder)
      let words = try #require(outcome.tls?.verifyError)
      let parts = ["not trusted", "expired", "not for good.test", "too weak"]
      #expect(parts.filter { !words.contains($0) } == [])
      #expect(outcome.tls?.pathNotAfter == nil)
    }
  }

  /// A leaf below an intermediate below the root.
  private struct Chain {
    let leaf, intermediate, key: String

    init(in folder: URL, _ authority: TestAuthority, intermediateDays: Int) throws {
      let ca = folder.appending(path: "ca-root")
      func run(_ arguments: [String]) throws { try runTool("/usr/bin/openssl", arguments, in: ca) }
      let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
      try "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n".write(
        to: ca.appending(path: "sub.ext"), atomically: true, encoding: .utf8)
      try "subjectAltName=DNS:good.test\n".write(
        to: ca.appending(path: "leaf.ext"), atomically: true, encoding: .utf8)
      try run(
        ["req", "-new", "-config", "ca.cnf", "-keyout", "sub.key", "-out", "sub.csr", "-subj", "/CN=Sub"]
          + curve)
      try run([
        "x509", "-req", "-in", "sub.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days",
        String(intermediateDays), "-extfile", "sub.ext", "-out", "sub.pem",
      ])
      try run(
        ["req", "-new", "-config", "ca.cnf", "-keyout", "end.key", "-out", "end.csr", "-subj", "/CN=end"]
          + curve)
      try run([
        "x509", "-req", "-in", "end.csr", "-CA", "sub.pem", "-CAkey", "sub.key", "-CAcreateserial", "-days",
        "60",
        "-extfile", "leaf.ext", "-out", "end.pem",
      ])
      leaf = ca.appending(path: "end.pem").path
      intermediate = ca.appending(path: "sub.pem").path
      key = ca.appending(path: "end.key").path
    }

    /// One file of several, as a server presents them.
    func presenting(_ parts: [String], in folder: URL) throws -> TestAuthority.Identity {
      let file = folder.appending(path: "presented.pem")
      let text = try parts.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
      try text.write(to: file, atomically: true, encoding: .utf8)
      return TestAuthority.Identity(certificate: file.path, key: key)
    }
  }

  @Test("L1: a leaf alone lacks its intermediate; with it the path's earliest end is told")
  func missingIntermediate() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let chain = try Chain(in: folder, authority, intermediateDays: 20)
      let alone = try await probe(try chain.presenting([chain.leaf], in: folder), authority, in: folder)
      #expect(alone.verdict.reason == .tlsUntrusted)
      #expect(
        alone.verdict.message?.hasSuffix(
          "certificate is not trusted (unable to get local issuer certificate)") == true)
      #expect(alone.tls?.daysRemaining == 59)
      let whole = try await probe(
        try chain.presenting([chain.leaf, chain.intermediate], in: folder), authority, in: folder)
      #expect(whole.verdict == .ok)
      #expect(whole.tls?.daysRemaining == 59)
      #expect(whole.tls?.pathDaysRemaining == 19)
      #expect(whole.tls?.chain.count == 2)
    }
  }

  @Test("L1: every type of check holds the path against its thresholds", arguments: [CheckType.tls, .tcp])
  func thePathEndsBeforeTheLeaf(type: CheckType) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let chain = try Chain(in: folder, authority, intermediateDays: 20)
      let identity = try chain.presenting([chain.leaf, chain.intermediate], in: folder)
      try await withNginx(in: folder, [NginxSite(["return 204;"], identity: identity)]) { ports in
        let check = try tlsCheck(ports[0]) {
          $0.type = type.rawValue
          if type == .tcp { $0.tls.isWanted = true }
          $0.tls.caFile = authority.rootFile
          $0.expect.certificate = Thresholds(warn: .seconds(86_400 * 30), fail: .seconds(86_400 * 25))
        }
        let bench = ProbeBench()
        let outcome = try await type == .tls ? bench.tls(check) : bench.tcp(check)
        #expect(outcome.verdict.reason == .certificateExpiring && outcome.verdict.state == .down)
        #expect(
          outcome.verdict.message?.hasPrefix("a certificate above the server's own is valid until") == true)
        #expect(outcome.assertions.map(\.actual).allSatisfy { $0.hasPrefix("19d ") }, "\(outcome.assertions)")
      }
    }
  }

  @Test("L1: an expired cross-signed root beside a good path does no harm")
  func expiredCrossSignedRoot() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let chain = try Chain(in: folder, authority, intermediateDays: 20)
      let ca = folder.appending(path: "ca-root")
      func run(_ arguments: [String]) throws { try runTool("/usr/bin/openssl", arguments, in: ca) }
      // The root's own key and name, signed by an older root, and over since yesterday.
      _ = try TestAuthority(in: folder, name: "old")
      try run([
        "req", "-new", "-config", "ca.cnf", "-key", "root.key", "-out", "cross.csr", "-subj", "/CN=Test root",
      ])
      try run([
        "ca", "-batch", "-config", "ca.cnf", "-cert", "../ca-old/root.pem", "-keyfile", "../ca-old/root.key",
        "-in",
        "cross.csr", "-out", "cross.pem", "-notext", "-extfile", "sub.ext", "-startdate", "20200101000000Z",
        "-enddate",
        "20240101000000Z",
      ])
      let presented = try chain.presenting(
        [chain.leaf, chain.intermediate, ca.appending(path: "cross.pem").path], in: folder)
      let outcome = try await probe(presented, authority, in: folder)
      #expect(outcome.verdict == .ok, "\(outcome.verdict)")
      #expect(outcome.tls?.chain.count == 3)
      #expect(outcome.tls?.pathDaysRemaining == 19)
    }
  }

  @Test("L2: an untrusted host gets no request")
  func noRequestToTheUntrusted() async throws {
    try await withTemporaryDirectory { folder in
      let (ours, theirs) = (try TestAuthority(in: folder), try TestAuthority(in: folder, name: "stranger"))
      let outcome = try await probe(
        try theirs.issue("theirs"), ours, in: folder, lines: ["access_log \(folder.path)/access.log;"])
      #expect(outcome.verdict.reason == .tlsUntrusted)
      let log = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
      #expect(log.isEmpty)
    }
  }

  @Test(
    "L3: TLS 1.0 or 1.1 only is its own failure; a weak cipher is named",
    arguments: ["TLSv1", "TLSv1.1", "TLSv1.2"])
  func oldVersions(version: String) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.key = ["-newkey", "rsa:2048"]
      let lines =
        ["ssl_protocols \(version);"] + (version == "TLSv1.2" ? ["ssl_ciphers AES128-SHA:@SECLEVEL=0;"] : [])
      let site = NginxSite(lines + ["return 204;"], identity: try authority.issue("good", leaf))
      try await withNginx(in: folder, [site]) { ports in
        let outcome = try await ProbeBench().http(
          try httpCheck("https://good.test:\(ports[0])/") { $0.tls.caFile = authority.rootFile })
        #expect(outcome.verdict.reason == (version == "TLSv1.2" ? .ok : .tlsProtocol))
        if version == "TLSv1.2" { #expect(outcome.tls?.cipher == "AES128-SHA") }
      }
    }
  }

  @Test(
    "L4: a stalled handshake ends at the deadline, endless records before that",
    arguments: ["stall", "alerts", "empty", "slow"])
  func stalledHandshakes(harm: String) async throws {
    let outcome = try await faultOutcome(limit: .milliseconds(900), scheme: "https") { link in
      _ = link.read()
      switch harm {
      case "alerts": while link.write([21, 3, 3, 0, 2, 1, 90]) { usleep(100) }
      case "empty": while link.write([22, 3, 3, 0, 0]) { usleep(100) }
      case "slow": while link.write([22]) { usleep(100_000) }
      default: link.waitForEnd()
      }
    }
    #expect([Reason.tlsTimeout, .tlsHandshake].contains(outcome.verdict.reason), "\(outcome.verdict)")
    if harm == "stall" { #expect(outcome.verdict.reason == .tlsTimeout) }
    #expect(try #require(outcome.timings.tls) < .seconds(3))
  }

  @Test(
    "L5: a chain of a megabyte, or 10,000 names, end the handshake in little time", arguments: [true, false])
  func hugeChains(chain: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      if !chain { leaf.names = (0..<10_000).map { "DNS:n\($0).example.test" } + ["DNS:good.test"] }
      var identity = try authority.issue("huge", leaf)
      if chain {
        let one = try String(contentsOfFile: identity.certificate, encoding: .utf8)
        let file = folder.appending(path: "megabyte.pem")
        let copies = 1_400_000 / one.utf8.count
        try String(repeating: one, count: copies).write(to: file, atomically: true, encoding: .utf8)
        identity = TestAuthority.Identity(certificate: file.path, key: identity.key)
      }
      let outcome = try await probe(identity, authority, in: folder)
      #expect(outcome.verdict.reason == .tlsHandshake, "\(outcome.verdict)")
      #expect(outcome.verdict.phase == .tls)
      // 100 ms is what it may cost; the rest is for a busy machine.
      #expect(try #require(outcome.timings.tls) < .seconds(2))
    }
  }

  @Test("L6: control characters and 10 KB of name are cut and cleaned")
  func hostileNames() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      var leaf = TestAuthority.Leaf()
      leaf.commonName = "evil\u{1b}[31m\nname"
      leaf.names.append("URI:http://" + String(repeating: "a", count: 10_000))
      let outcome = try await probe(try authority.issue("hostile", leaf), authority, in: folder)
      let facts = try #require(outcome.tls?.chain.first)
      for text in [facts.subject, facts.issuer] + facts.sans {
        #expect(text.utf8.count <= 256)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
      }
    }
  }

  @Test("L7: without its authorities an https check is a local fault, never unverified")
  func missingBundle() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let outcome = try await ProbeBench().http(
        try httpCheck("https://good.test:\(server.port)/") { $0.tls.caFile = "/nonexistent/ca.pem" })
      #expect(outcome.verdict.reason == .localFault)
      #expect(outcome.verdict.state == .unknown)
      #expect(outcome.verdict.message?.contains("/nonexistent/ca.pem") == true)
      #expect(server.accepted == 0)
    }
  }
}
