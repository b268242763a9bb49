// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Curl

/// Keys and groups chosen so that whoever checks them computes for long: told by their price, before it is done.
@Suite(.timeLimit(.minutes(2))) struct HostileKeyTests {
  private func price(_ keys: [ChainPrice.Key], size: Int = 65_536, constraints: Int = 0) -> ChainPrice {
    var price = ChainPrice(size: size)
    for key in keys { price.add(key, constraints: constraints) }
    return price
  }

  /// Chains that people have: four long keys, a bundle of everything an authority ever had, names it may not sign for.
  @Test func honestChainsAreCheap() {
    let long = ChainPrice.Key.rsa(bits: 4096, exponent: 17)
    #expect(price(Array(repeating: long, count: 5)).nanoseconds < 1_000_000)
    #expect(!price(Array(repeating: .rsa(bits: 16_384, exponent: 17), count: 4)).isTooDear)
    #expect(!price(Array(repeating: .curve(bits: 384), count: 60)).isTooDear)
    #expect(!price([.curve(bits: 521), .curve(bits: 570), .other]).isTooDear)
    #expect(!price([.rsa(bits: 2048, exponent: 17)], size: 12_000, constraints: 4000).isTooDear)
  }

  /// The worst that fits into 64 KiB, each of which took more than 60 ms of a thread that many wait for.
  @Test func whatTakesLongIsDear() {
    #expect(price(Array(repeating: .rsa(bits: 3072, exponent: 3071), count: 46)).isTooDear)
    #expect(price(Array(repeating: .dsa(bits: 10_000), count: 40)).isTooDear)
    #expect(price(Array(repeating: .curve(bits: 570), count: 100)).isTooDear)
    #expect(price(Array(repeating: .rsa(bits: 16_384, exponent: 64), count: 14)).isTooDear)
    #expect(price(Array(repeating: .curve(bits: 256), count: 7), constraints: 8000).isTooDear)
    // What no key can have is no more than the longest there is.
    #expect(price([.rsa(bits: .max, exponent: .max), .dsa(bits: .max)], constraints: .max).isTooDear)
    #expect(price([.rsa(bits: .min, exponent: .min)], size: .min, constraints: .min).nanoseconds == 50_000)
  }

  /// As many as are verified cost, the dearest of them.
  @Test func onlyAPathIsPaidFor() {
    let path = Array(repeating: ChainPrice.Key.curve(bits: 384), count: ChainPrice.depth + 2)
    #expect(price(path) == price(path))
    #expect(price(path + path).nanoseconds == price(path).nanoseconds)
    #expect(price(path + [.dsa(bits: 3072)]).nanoseconds > price(path).nanoseconds)
  }

  /// A chain of keys with exponents as long as the key, all signatures good: nobody verifies it, and the check says why.
  @Test func aChainOfDearKeysIsNotVerified() async throws {
    try await withTemporaryDirectory { folder in
      let identity = try Self.dearChain(of: 12, in: folder)
      try await withLoopbackServer(script: { link in
        guard let server = TLSPeer(link, identity, newest: TLS1_3_VERSION) else { return }
        _ = server.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
        link.waitForEnd()
      }) { server in
        var asked = request(server.port, scheme: "https", goal: .handshake)
        asked.httpVersion = .http11
        let trust = TrustStore(bundle: folder.appending(path: "0.pem").path)
        let refused = try await transfer(asked, trust: trust)
        #expect(refused.failure?.kind == .tls(.certificate(.untrusted)), "\(refused.outcome)")
        #expect(refused.failure?.message.contains("takes too long") == true, "\(refused.outcome)")
        // What was sent is told all the same.
        #expect(refused.tls?.chain.count == CertificateReader.maximumCertificates)
        asked.tls.verify = false
        #expect(try await transfer(asked, trust: trust).outcome == .complete)
      }
    }
  }

  /// Root, intermediates of one key, and a leaf.
  private static func dearChain(of count: Int, in folder: URL) throws -> TestAuthority.Identity {
    func openssl(_ words: String) throws {
      try runTool("/usr/bin/openssl", words.split(separator: " ").map(String.init), in: folder)
    }
    // Odd, and one bit shorter than the key.
    let exponent = "0x2" + String(repeating: "0", count: 766) + "1"
    try openssl(
      "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -pkeyopt rsa_keygen_pubexp:\(exponent) -out dear.key"
    )
    try openssl("req -x509 -new -key dear.key -subj /CN=0 -out 0.pem -days 30")
    for number in 1..<count {
      try openssl(
        "req -x509 -new -key dear.key -subj /CN=\(number) -CA \(number - 1).pem -CAkey dear.key -days 30"
          + " -out \(number).pem")
    }
    try openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout leaf.key -subj /CN=leaf -out leaf.pem"
        + " -addext subjectAltName=DNS:good.test -CA \(count - 1).pem -CAkey dear.key -days 30")
    let files = ["leaf"] + (1..<count).reversed().map(String.init)
    let chain = try files.map {
      try String(contentsOf: folder.appending(path: "\($0).pem"), encoding: .utf8)
    }
    let path = folder.appending(path: "chain.pem")
    try chain.joined().write(to: path, atomically: true, encoding: .utf8)
    return TestAuthority.Identity(certificate: path.path, key: folder.appending(path: "leaf.key").path)
  }

  /// Two powers of a number of 6,144 bits took 80 ms, of 10,000 bits 590. One of 4,096 bits is what servers were told to
  /// make; a longer one that has a name has short exponents.
  @Test(arguments: [(6144, false), (4096, true)])
  func aHugeGroupIsNotComputedWith(bits: Int, isTaken: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      // No prime, which nobody looks at here.
      let number = String(repeating: "f", count: bits / 4 - 1) + "1"
      try "asn1=SEQUENCE:group\n[group]\np=INTEGER:0x\(number)\ng=INTEGER:2\n"
        .write(to: folder.appending(path: "dh.cnf"), atomically: true, encoding: .utf8)
      try runTool(
        "/usr/bin/openssl", ["asn1parse", "-genconf", "dh.cnf", "-noout", "-out", "dh.der"], in: folder)
      let der = try Data(contentsOf: folder.appending(path: "dh.der")).base64EncodedString(
        options: .lineLength64Characters)
      try "-----BEGIN DH PARAMETERS-----\n\(der)\n-----END DH PARAMETERS-----\n"
        .write(to: folder.appending(path: "dh.pem"), atomically: true, encoding: .utf8)
      var leaf = TestAuthority.Leaf()
      leaf.key = ["-newkey", "rsa:2048"]
      let site = NginxSite(
        [
          "ssl_protocols TLSv1.2;", "ssl_ciphers DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0;",
          "ssl_dhparam \(folder.appending(path: "dh.pem").path);", "return 200;",
        ], identity: try authority.issue("good", leaf))
      for verify in [true, false] {
        let report = try await withNginx(in: folder, [site]) { ports in
          var asked = request(ports[0], scheme: "https", goal: .handshake)
          asked.tls.verify = verify
          return try await transfer(asked, trust: TrustStore(bundle: authority.rootFile))
        }
        #expect((report.outcome == .complete) == isTaken, "\(report.outcome)")
        guard !isTaken else { continue }
        #expect(report.failure?.kind == .tls(.handshake))
        #expect(
          report.failure?.message.contains("\(bits) bits, which takes too long") == true, "\(report.outcome)")
      }
    }
  }
}
