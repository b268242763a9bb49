// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import Basics

/// Reports of routers in a socket's error queue, as the kernel lays them out.
@Suite struct RouterReportsTests {
  /// cmsghdr {48, level, type}, sock_extended_err {113, origin, ICMP type and code}, sockaddr_in 192.0.2.9.
  private static func note(
    level: UInt8 = 0, type: UInt8 = 11, origin: UInt8 = 2, icmp: UInt8 = 3, code: UInt8 = 13
  ) -> [UInt8] {
    [48, 0, 0, 0, 0, 0, 0, 0, level, 0, 0, 0, type, 0, 0, 0, 113, 0, 0, 0, origin, icmp, code, 0]
      + [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 192, 0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0]
  }

  @Test func prohibitions() {
    let codes = (UInt8(0)...15).filter { RouterReports.isProhibition(Self.note(code: $0)) }
    #expect(codes == [9, 10, 13])
    #expect(!RouterReports.isProhibition(Self.note(icmp: 11)))
    #expect(!RouterReports.isProhibition(Self.note(origin: 1)))
    #expect(!RouterReports.isProhibition(Self.note(origin: 3)))
    #expect(!RouterReports.isProhibition(Self.note(level: 41)))
    #expect(!RouterReports.isProhibition(Self.note(type: 2)))
    #expect(RouterReports.isProhibition(Array(Self.note().prefix(32))))
    #expect(!RouterReports.isProhibition(Array(Self.note().prefix(31))))
    #expect(!RouterReports.isProhibition([]))
  }

  /// A socket without a report, and none at all.
  @Test func withoutAReportThereIsNone() {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    RouterReports.ask(on: number, AF_INET)
    #expect(!RouterReports.takeProhibition(on: number))
    var (value, length) = (Int32(0), socklen_t(4))
    getsockopt(number, Int32(IPPROTO_IP), IP_RECVERR, &value, &length)
    #expect(value == 1)
    RouterReports.end(on: number, AF_INET)
    getsockopt(number, Int32(IPPROTO_IP), IP_RECVERR, &value, &length)
    #expect(value == 0)
    #expect(!RouterReports.takeProhibition(on: -1))
  }
}
