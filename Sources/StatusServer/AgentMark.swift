// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Tells agents of one machine apart for a client that reaches one over TCP: derived from the path of its socket for
/// commands, which no two of them share. `/livez` has it in a header.
package enum AgentMark {
  package static let header = "X-Agent-Mark"

  /// `nil` where the agent has no socket for commands.
  package static func of(_ socket: ListenAddress?) -> String? {
    guard case .unix(let path)? = socket else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
    // A folder that is gone is named as it is configured.
    let place = real(folder) ?? (path.hasPrefix("/") ? folder : "\(real(".") ?? "")/\(folder)")
    let trimmed = place.hasSuffix("/") ? String(place.dropLast()) : place
    return Base16.text(CRC32C.checksum(Array("\(trimmed)/\(parts.last ?? "")".utf8)), width: 8)
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
