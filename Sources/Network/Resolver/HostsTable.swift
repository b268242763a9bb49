// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Entries of hosts(5): names, folded to lower case, to addresses in the order of the file.
package struct HostsTable: Hashable, Sendable {
  package var addresses: [ByteText: [IPAddress]] = [:]

  package init() {}

  package init(parsing text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line[..<(line.firstIndex(of: "#") ?? line.endIndex)].split(whereSeparator: \.isWhitespace)
      guard let first = words.first, let address = IPAddress(first) else { continue }
      for name in words.dropFirst().map({ ByteText($0.lowercased()) }) {
        let known = addresses[name, default: []]
        if known.count < 16, !known.contains(address) { addresses[name] = known + [address] }
      }
    }
  }
}

extension HostsTable {
  /// Whether the file itself has it.
  func names(_ host: String) -> Bool { addresses[ByteText(plainHost(host))] != nil }

  /// `localhost` and everything below it is this machine also where the file does not say so (RFC 6761 6.3).
  func lookUp(_ host: String) -> [IPAddress] {
    let name = plainHost(host)
    if let found = addresses[ByteText(name)] { return found }
    return isLocalhost(name) ? [.v4(0x7f00_0001), .v6(high: 0, low: 1)] : []
  }
}
