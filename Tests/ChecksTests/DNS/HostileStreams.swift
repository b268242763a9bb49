// SPDX-License-Identifier: MIT

import Monitoring
import NetworkTestSupport
import TestSupport

/// Answers over TCP, each with the reason that it has.
extension HostileServerTests {
  struct Stream: Sendable {
    var what: String
    var reason: Reason
    var script: @Sendable (LoopbackConnection, _ request: [UInt8]) -> Void
  }

  static let streams: [Stream] = [
    Stream(what: "right", reason: .ok) { connection, request in
      connection.write(Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, 1)] }.framed)
    },
    Stream(what: "in single bytes", reason: .ok) { connection, request in
      for byte in Wire(to: request).with({ $0.answers = [Wire.a(192, 0, 2, 1)] }).framed {
        connection.write([byte])
      }
    },
    Stream(what: "cut again, where nothing cuts", reason: .dnsMalformed) { connection, request in
      connection.write(
        Wire(to: request).with { wire in
          wire.flags = 0x8380
          wire.answers = [Wire.a(192, 0, 2, 1)]
        }.framed)
    },
    Stream(what: "behind one for somebody else", reason: .ok) { connection, request in
      connection.write(Wire(to: request).with { $0.id ^= 1 }.framed)
      connection.write(Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, 1)] }.framed)
    },
    Stream(what: "behind one for somebody else, and closed", reason: .ok) { connection, request in
      connection.write(
        Wire(to: request).with { $0.id ^= 1 }.framed
          + Wire(to: request).with { $0.answers = [Wire.a(192, 0, 2, 1)] }.framed)
    },
    Stream(what: "one for somebody else, and closed", reason: .connectionClosed) { connection, request in
      connection.write(Wire(to: request).with { $0.id ^= 1 }.framed)
    },
    Stream(what: "the name in another case", reason: .ok) { connection, request in
      connection.write(
        Wire(to: request).with { ($0.question[1], $0.answers) = (0x58, [Wire.a(192, 0, 2, 1)]) }.framed)
    },
    Stream(what: "FORMERR to EDNS, and closed", reason: .ok) { connection, request in
      // The additional count tells a query with OPT.
      connection.write(
        Wire(to: request).with { wire in
          if request[11] == 0 { wire.answers = [Wire.a(192, 0, 2, 1)] } else { wire.flags = 0x8181 }
        }.framed)
    },
    Stream(what: "FORMERR to EDNS, and nothing without", reason: .dnsRcode) { connection, request in
      if request[11] != 0 { connection.write(Wire(to: request).with { $0.flags = 0x8181 }.framed) }
    },
    Stream(what: "FORMERR to everything", reason: .dnsRcode) { connection, request in
      connection.write(Wire(to: request).with { $0.flags = 0x8181 }.framed)
    },
    Stream(what: "a length too short", reason: .dnsMalformed) { connection, _ in
      connection.write([0, 4, 1, 2, 3, 4])
    },
    Stream(what: "a length too long", reason: .dnsTimeout) { connection, request in
      connection.write([255, 255] + Wire(to: request).bytes)
      connection.waitForEnd()
    },
    Stream(what: "closed at once", reason: .connectionClosed) { _, _ in },
    Stream(what: "closed mid-way", reason: .connectionClosed) { connection, request in
      connection.write(Array(Wire(to: request).framed.dropLast(3)))
    },
    Stream(what: "reset", reason: .connectionReset) { connection, _ in connection.resetOnClose() },
    Stream(what: "silent", reason: .dnsTimeout) { connection, _ in connection.waitForEnd() },
    Stream(what: "cut off inside", reason: .dnsMalformed) { connection, request in
      connection.write(Wire(to: request).with { $0.counts.1 = 9 }.framed)
    },
    Stream(what: "4,000 addresses", reason: .ok) { connection, request in
      connection.write(
        Wire(to: request).with { wire in
          wire.answers = (0..<4000).map { Wire.record(1, [192, 0, UInt8($0 / 256 + 2), UInt8($0 % 256)]) }
        }.framed)
    },
  ]
}
