// SPDX-License-Identifier: MIT

import Basics

/// Counts the definitions in a database's schema before SQLite reads it. SQLite reads all of them for the first query,
/// takes the square of the triggers of a table for it, and cannot be stopped.
enum SQLitePages {
  /// Uptime Kuma has about a hundred.
  static let mostDefinitions = 1000
  private static let mostPages = 2000

  /// - Throws: that there are more, or that the pages do not lead to them.
  static func checkSchema(_ bytes: [UInt8]) throws(ImportProblem) {
    let damaged = ImportProblem(
      "the database is damaged (its schema)", hint: "look at it: sqlite3 FILE 'PRAGMA integrity_check'")
    guard bytes.count >= 512 else { throw damaged }
    let stated = number(bytes, at: 16, bytes: 2)
    let size = stated == 1 ? 65_536 : stated
    guard size >= 512, bytes.count >= size else { throw damaged }
    var definitions = 0
    var pages = [1]
    var left = mostPages
    while let page = pages.popLast() {
      left -= 1
      // The first page begins with the header of the file.
      let start = (page - 1) * size
      let header = start + (page == 1 ? 100 : 0)
      guard left >= 0, page >= 1, start <= bytes.count - size else { throw damaged }
      let cells = number(bytes, at: header + 3, bytes: 2)
      switch bytes[header] {
      case 0x0d: definitions += cells
      case 0x05:
        guard header + 12 + 2 * cells <= start + size else { throw damaged }
        pages.append(number(bytes, at: header + 8, bytes: 4))
        for cell in 0..<cells {
          let place = number(bytes, at: header + 12 + 2 * cell, bytes: 2)
          guard place + 4 <= size else { throw damaged }
          pages.append(number(bytes, at: start + place, bytes: 4))
        }
        guard pages.count <= mostPages else { throw damaged }
      default: throw damaged
      }
      guard definitions <= mostDefinitions else {
        throw ImportProblem(
          "its schema has more than \(mostDefinitions) definitions",
          hint: "give the kuma.db that Uptime Kuma made, or a backup in JSON")
      }
    }
  }

  private static func number(_ bytes: [UInt8], at place: Int, bytes count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }
}
