// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Synchronization
import Testing

@testable import Network

/// What is this agent's own, and its API's, and closed to the checks that the API sends.
@Suite struct OwnPlaceTests {
  private static let agent = "is the agent itself, closed to checks from the API"
  private let open = IPAddress.v4(0x0808_0808)
  private let inside = IPAddress.v4(0x0a00_0001)

  /// The API by its name in any form, and by its addresses where they are named themselves or are no public ones.
  @Test func theAPI() {
    let own = OwnPlaces(api: Endpoint(host: "API.Example.", port: 443)) { [] }
    func why(_ address: IPAddress, _ host: String?, port: UInt16 = 443) -> String? {
      own.refusal(of: address, port: port, host: host)
    }
    let itself = "is the API itself, closed to checks from the API"
    let address = "is an address of the API itself, closed to checks from the API"
    #expect(["api.example", "API.example.", "Api.Example"].allSatisfy { why(open, $0) == itself })
    #expect(
      why(open, "other.example") == nil && why(open, nil) == nil && why(open, "api.example", port: 444) == nil
    )
    own.noteAPI([open, inside])
    #expect(why(open, "other.example") == nil && why(open, nil) == nil)
    #expect(why(open, "8.8.8.8") == address && why(open, "8.8.8.8", port: 444) == nil)
    #expect(why(inside, "other.example") == address && why(inside, nil) == address)
    #expect(why(.v4(0x0808_0809), "8.8.8.9") == nil)
    // Of another look-up only the new ones count.
    own.noteAPI([.v4(0x0808_0809)])
    #expect(why(open, "8.8.8.8") == nil && why(.v4(0x0808_0809), "8.8.8.9") == address)
    let none = OwnPlaces { [] }
    none.noteAPI([open])
    #expect(none.refusal(of: open, port: 443, host: "8.8.8.8") == nil)
  }

  /// The agent's ports, on every address of the machine, which are looked up once for a while.
  @Test func theAgent() {
    let looks = Mutex(0)
    let inside = self.inside
    let own = OwnPlaces(ports: [9000, 9001]) {
      looks.withLock { $0 += 1 }
      return [inside]
    }
    func why(_ address: IPAddress, _ port: UInt16 = 9000) -> String? {
      own.refusal(of: address, port: port, host: "a.example")
    }
    #expect(
      why(.loopback) == Self.agent && why(.v4(0), 9001) == Self.agent
        && why(.v6(high: 0, low: 0)) == Self.agent)
    #expect(why(inside, 9002) == nil && looks.withLock(\.self) == 0)
    #expect(why(inside) == Self.agent && why(inside, 9001) == Self.agent && why(open) == nil)
    #expect(looks.withLock(\.self) == 1)
  }

  /// The machine itself has its loopback address among those of its interfaces.
  @Test func interfaces() {
    let found = interfaceAddresses()
    #expect(found.contains(.loopback) && !found.contains(.v4(0)) && !found.contains(open))
  }
}
