// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The list of checks as agents of a group hand it on: in parts that a store takes, each JSON by itself.
///
/// It holds what the API gave, credentials too, for each member has to run what the list says; who may read the store may
/// read them.
extension CheckSnapshot {
  /// Rows in a part at most.
  private static let rows = 256
  /// Bytes of a part at most; a row that is longer is left out.
  package static let partBytes = 49_152

  /// - Returns: the parts, and how many rows are in none of them.
  package func parts() -> (parts: [[UInt8]], leftOut: Set<UniqueID>) {
    var box = PartBox()
    box.open("checks")
    let leftOut = Set(
      checks.filter { check in !box.add { check.write(into: &$0, withSecrets: true) } }.map(\.id))
    box.open("windows")
    for window in windows { box.add { window.write(into: &$0) } }
    box.close()
    // bounded: texts and bytes in memory
    return (["{\"version\":1,\"cut\":\(isCut)}".bytes] + box.parts, leftOut)
  }

  /// `nil` for bytes that are no parts of a list.
  package init?(parts: [[UInt8]]) {
    // As deep as the API's own answers may be, and the part around them.
    let depth = 68
    guard let first = parts.first, let head = try? JSONValue.parse(first, maxDepth: depth),
      head["version"]?.integer == 1, let isCut = head["cut"]?.bool
    else { return nil }
    self.init(checks: [], isCut: isCut)
    var seen: Set<UniqueID> = []
    for part in parts.dropFirst() {
      guard let json = try? JSONValue.parse(part, maxDepth: depth) else { return nil }
      do throws(WireCheckError) {
        for row in json["checks"]?.array ?? [] {
          let check = try WireCheck(row)
          if seen.insert(check.id).inserted { checks.append(check) }
        }
        for row in json["windows"]?.array ?? [] { windows.append(try WireWindow(row)) }
      } catch { return nil }
    }
  }

  /// Fills one part after the other.
  private struct PartBox {
    var parts: [[UInt8]] = []
    private var kind = ""
    private var rows: [[UInt8]] = []
    private var bytes = 0

    mutating func open(_ kind: String) {
      close()
      self.kind = kind
    }

    /// - Returns: false: it is too long.
    @discardableResult
    mutating func add(_ write: (inout JSONWriter) -> Void) -> Bool {
      var json = JSONWriter()
      write(&json)
      let row = json.bytes
      guard row.count + 64 <= partBytes else { return false }  // bounded: bytes in memory
      // bounded: as above
      if bytes + row.count + 64 > partBytes || rows.count >= CheckSnapshot.rows { flush() }
      rows.append(row)
      bytes += row.count + 1  // bounded: as above
      return true
    }

    mutating func close() { if !rows.isEmpty { flush() } }

    private mutating func flush() {
      var part = "{\"\(kind)\":[".bytes
      for (index, row) in rows.enumerated() {
        if index > 0 { part.append(UInt8(ascii: ",")) }
        // bounded: texts and bytes in memory
        part += row
      }
      parts.append(part + "]}".bytes)
      (rows, bytes) = ([], 0)
    }
  }
}

extension String {
  fileprivate var bytes: [UInt8] { Array(utf8) }
}
