// SPDX-License-Identifier: MIT

import Curl
import Monitoring
import Testing

@testable import Checks

/// What a transfer's failure becomes, for those no server on loopback can bring about.
@Suite struct TransferVerdictTests {
  private func verdict(
    _ kind: TransferFailureKind, _ phase: TransferPhase, lateness: Duration = .zero
  ) -> Verdict {
    let failure = TransferFailure(kind, phase: phase, message: "words")
    let dialled = DialledTransfer(
      report: TransferReport(outcome: .failed(failure)), peer: SocketAddress(.v4(0x0102_0304), port: 443),
      elapsed: .seconds(1), lateness: lateness)
    return Verdict(failure, of: dialled, timeout: .seconds(10))
  }

  @Test(arguments: [
    (TransferFailureKind.unreachable, TransferPhase.connect, Reason.connectUnreachable),
    (.tls(.clientCertificate), .tls, .tlsClientCertificate), (.timeout, .prepare, .connectTimeout),
    (.timeout, .connect, .connectTimeout), (.local(.system(errno: 24)), .prepare, .localFault),
    (.local(.system(errno: 101)), .connect, .localFault), (.local(.addressMismatch), .prepare, .localFault),
    (.tls(.certificate(.weak)), .tls, .tlsWeak),
  ])
  func hasItsReason(kind: TransferFailureKind, phase: TransferPhase, reason: Reason) {
    #expect(verdict(kind, phase).reason == reason)
    #expect(verdict(kind, phase).phase == Phase(phase))
  }

  @Test func namesTheAddressOfATargetsFailureOnly() {
    #expect(verdict(.unreachable, .connect).message == "1.2.3.4:443: words")
    #expect(verdict(.local(.trustStore), .prepare).message == "words")
  }

  @Test(arguments: [(Duration.milliseconds(1900), Reason.tlsTimeout), (.milliseconds(2100), .localFault)])
  func aLimitWeMissedOurselvesIsNoOutage(lateness: Duration, reason: Reason) {
    #expect(verdict(.timeout, .tls, lateness: lateness).reason == reason)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func base64HasTheVectorsOfItsRFC(text: String, encoded: String) {
    #expect(base64(Array(text.utf8)) == encoded)
  }

  @Test(arguments: [
    ("hello", "ell", true), ("hello", "lo", true), ("hello", "hello", true), ("hello", "hellos", false),
    ("hello", "", true), ("", "a", false), ("aaab", "aab", true),
  ])
  func findsLiterals(text: String, needle: String, there: Bool) {
    #expect(contains(Array(text.utf8), Array(needle.utf8)) == there)
  }
}
