// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// SRV records of a real name server, as discovery asks for them.
struct DNSServicesTests {
  @Test func servicesComeInTheOrderOfTheirPriorities() async throws {
    let zone = KnotZone(
      "example.com",
      """
      $TTL 60
      @ SOA ns hostmaster 1 60 60 60 60
      @ NS ns
      ns A 127.0.0.1
      _https._tcp SRV 20 5 8443 backup
      _https._tcp SRV 10 5 443 www
      _gone._tcp SRV 0 0 0 .
      """)
    try await withKnot([zone]) { port in
      try await withResolver("nameserver 127.0.0.1", port: port) { _, system in
        func ask(_ name: String) async throws -> (services: [Endpoint], problem: String?) {
          try await system.services(of: name, until: .now + .seconds(5))
        }
        let found = try await ask("_https._tcp.example.com")
        #expect(found.services.map(\.description) == ["www.example.com:443", "backup.example.com:8443"])
        #expect(found.problem == nil)
        #expect(
          try await ask("_gone._tcp.example.com").problem == "_gone._tcp.example.com has no SRV records")
        #expect(try await ask("_no._tcp.example.com").problem?.contains("NXDOMAIN") == true)
        #expect(try await ask("_a..b").problem?.contains("is no name") == true)
      }
    }
  }
}
