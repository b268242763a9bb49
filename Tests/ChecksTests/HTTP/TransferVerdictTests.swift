// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks

/// What a transfer's failure becomes, for those no server on loopback can bring about.
@Suite struct TransferVerdictTests {
  private func verdict(
    _ kind: TransferFailureKind, _ phase: TransferPhase, lateness: Duration = .zero,
    origin: CheckOrigin = .local
  ) throws -> Verdict {
    let failure = TransferFailure(kind, phase: phase, message: "words")
    let dialled = DialledTransfer(
      report: TransferReport(outcome: .failed(failure)), peer: SocketAddress(.v4(0x0102_0304), port: 443),
      elapsed: .seconds(1), lateness: lateness)
    var definition = CheckDefinition()
    definition.origin = origin
    definition.name = "Site"
    definition.type = "tls"
    definition.host = "site.test"
    definition.port = 443
    definition.timeout = .seconds(10)
    let check = try MonitoringCheck(definition)
    return Verdict(failure, of: dialled, at: Endpoint(host: "site.test", port: 443), for: check)
  }

  @Test(arguments: [
    (TransferFailureKind.unreachable, TransferPhase.connect, Reason.connectUnreachable),
    (.tls(.clientCertificate), .tls, .tlsClientCertificate), (.timeout, .prepare, .connectTimeout),
    (.timeout, .connect, .connectTimeout), (.local(.system(errno: 24)), .prepare, .localFault),
    (.local(.system(errno: 101)), .connect, .localFault), (.local(.addressMismatch), .prepare, .localFault),
    (.tls(.certificate(.weak)), .tls, .tlsWeak),
  ])
  func hasItsReason(kind: TransferFailureKind, phase: TransferPhase, reason: Reason) throws {
    #expect(try verdict(kind, phase).reason == reason)
    #expect(try verdict(kind, phase).phase == Phase(phase))
  }

  @Test func namesTheAddressOfATargetsFailureOnly() throws {
    #expect(try verdict(.unreachable, .connect).message == "1.2.3.4:443: words")
    #expect(try verdict(.local(.trustStore), .prepare).message == "words")
  }

  @Test func tellsAStrangerNothingOfWhatItsNamesResolveTo() throws {
    #expect(try verdict(.unreachable, .connect, origin: .api).message == "site.test:443: words")
  }

  @Test(arguments: [(Duration.milliseconds(1900), Reason.tlsTimeout), (.milliseconds(2100), .localFault)])
  func aLimitWeMissedOurselvesIsNoOutage(lateness: Duration, reason: Reason) throws {
    #expect(try verdict(.timeout, .tls, lateness: lateness).reason == reason)
  }

  @Test(arguments: [
    ("hello", "ell", true), ("hello", "lo", true), ("hello", "hello", true), ("hello", "hellos", false),
    ("hello", "", true), ("", "a", false), ("aaab", "aab", true),
  ])
  func findsLiterals(text: String, needle: String, there: Bool) {
    #expect(contains(Array(text.utf8), Array(needle.utf8)) == there)
  }
}
