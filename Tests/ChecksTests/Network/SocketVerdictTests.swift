// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Checks

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

  @Test func readsTheExtendedErrorOfTheKernel() {
    // cmsghdr {48, IPPROTO_IP, IP_RECVERR}, sock_extended_err {113, ICMP, 3, 1}, sockaddr_in 192.0.2.9.
    var control: [UInt8] = [48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0]
    control += [113, 0, 0, 0, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    control += [2, 0, 0, 0, 192, 0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(
      parseExtendedError(control[...]) == ICMPError(code: EHOSTUNREACH, offender: IPAddress("192.0.2.9")))
    // Behind another control message, unaligned.
    let other: [UInt8] = [20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 29, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]
    #expect(parseExtendedError((other + control)[...])?.code == EHOSTUNREACH)
    for length in 0..<control.count { _ = parseExtendedError(control[..<length]) }
    #expect(parseExtendedError([UInt8](repeating: 0, count: 64)[...]) == nil)
  }
}
