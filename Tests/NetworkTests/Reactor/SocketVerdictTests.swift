// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Network

@Suite struct SocketVerdictTests {
  static let table: [(code: Int32, reason: Reason, state: CheckState)] = [
    (ECONNREFUSED, .connectRefused, .down), (ECONNRESET, .connectionReset, .down),
    (EPIPE, .connectionReset, .down),
    (ECONNABORTED, .connectionReset, .down), (ETIMEDOUT, .connectTimeout, .down),
    (EHOSTUNREACH, .connectUnreachable, .down), (EHOSTDOWN, .connectUnreachable, .down),
    (EMFILE, .localFault, .unknown), (ENFILE, .localFault, .unknown), (ENOMEM, .localFault, .unknown),
    (ENOBUFS, .localFault, .unknown), (ENETUNREACH, .localFault, .unknown), (ENETDOWN, .localFault, .unknown),
    (EADDRNOTAVAIL, .localFault, .unknown), (EACCES, .localFault, .unknown), (EPERM, .localFault, .unknown),
    (EAFNOSUPPORT, .localFault, .unknown), (EINVAL, .localFault, .unknown),
  ]

  @Test(arguments: table) func eachErrnoBlamesTheRightSide(code: Int32, reason: Reason, state: CheckState) {
    let verdict = Verdict(errno: code, phase: .connect, peer: "192.0.2.1:80")
    #expect(verdict.reason == reason)
    #expect(verdict.state == state)
    #expect(verdict.message?.isEmpty == false)
  }
}
