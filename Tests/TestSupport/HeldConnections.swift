// SPDX-License-Identifier: MIT

import Foundation

/// Connections over IPv4 with that port at either end, established or being dialled, which some descriptor of this machine
/// still holds: proc_net_tcp(5). It is read to its end: what takes the file for one of no size gets a page of it.
package func heldConnections(port: UInt16) throws -> Int {
  let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp"))
  let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  let digits = String(port, radix: 16, uppercase: true)
  let suffix = Array((":" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
  return table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst().count { line in
    let fields = line.split(separator: UInt8(ascii: " "))
    // Local address, remote address, state (0A: listening), inode (0: belongs to no descriptor).
    return fields.count > 9 && !fields[3].elementsEqual("0A".utf8) && !fields[9].elementsEqual("0".utf8)
      && (fields[1].suffix(5).elementsEqual(suffix) || fields[2].suffix(5).elementsEqual(suffix))
  }
}
