// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// The local address of an http check's connections.
@Suite(.timeLimit(.minutes(1))) struct HTTPSourceTests {
  private func peer(_ descriptor: Int32) -> String {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    return IPAddress.v4(UInt32(bigEndian: address.sin_addr.s_addr)).description
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.9"])
  func connectionsStartFromIt(source: String) async throws {
    let seen = Mutex("")
    let outcome = try await faultOutcome(change: { $0.sourceAddress = source }) { link in
      let from = peer(link.descriptor)
      seen.withLock { $0 = from }
      answering("HTTP/1.1 204 No Content\r\n\r\n")(link)
    }
    #expect(outcome.verdict == .ok, "\(outcome.verdict)")
    #expect(seen.withLock { $0 } == source)
  }

  @Test func anAddressThatIsNotOursIsALocalFault() async throws {
    let outcome = try await faultOutcome(change: { $0.sourceAddress = "192.0.2.77" }) { $0.waitForEnd() }
    #expect(outcome.verdict.reason == .localFault, "\(outcome.verdict)")
    #expect(outcome.verdict.state == .unknown)
    #expect(outcome.verdict.message == "source_address 192.0.2.77 is no address of this machine")
  }
}
