// SPDX-License-Identifier: MIT

import Basics

/// SQLite's write-ahead log beside a database (https://www.sqlite.org/fileformat2.html, section 4), played into the database's
/// bytes in memory: no file is opened by SQLite, locked or written.
package enum WriteAheadLog {
  /// The database as who opens it now would see it: with every frame up to the last commit whose checksum is right.
  ///
  /// - Throws: that the log is not of this database.
  package static func played(_ log: [UInt8], into database: [UInt8]) throws(ImportProblem) -> [UInt8] {
    // Shorter than its header: there is nothing in it.
    guard log.count >= 32 else { return database }
    let damaged = ImportProblem(
      "the write-ahead log beside it is damaged",
      hint: "stop Uptime Kuma and run: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")
    var sum = Checksum(isBig: word(log, 0) == 0x377f_0683)
    guard word(log, 0) & ~1 == 0x377f_0682, word(log, 4) == 3_007_000 else { throw damaged }
    sum.add(log[0..<24])
    let size = Int(word(log, 8))
    // A header that was not written to its end is that of an empty log.
    guard sum.isSame(log, at: 24) else { return database }
    guard database.count >= 100, size == pageSize(database) else { throw damaged }
    let salt = log[16..<24]
    var pages: [Int: Int] = [:]
    var open: [Int: Int] = [:]
    var length: Int?
    var place = 32
    while place + 24 + size <= log.count, log[place + 8..<place + 16].elementsEqual(salt) {
      sum.add(log[place..<place + 8])
      sum.add(log[place + 24..<place + 24 + size])
      guard sum.isSame(log, at: place + 16) else { break }
      open[Int(word(log, place))] = place + 24
      let count = Int(word(log, place + 4))
      if count > 0 {
        pages.merge(open) { $1 }
        (open, length) = ([:], count)
      }
      place += 24 + size
    }
    guard let length else { return database }
    return try made(database, pages, length, size, log, damaged)
  }

  private static func made(
    _ database: [UInt8], _ pages: [Int: Int], _ length: Int, _ size: Int, _ log: [UInt8],
    _ damaged: ImportProblem
  ) throws(ImportProblem) -> [UInt8] {
    // Each page of the new length is in one of the two.
    guard length <= database.count / size + pages.count else { throw damaged }
    var made = database
    let bytes = length * size
    if made.count > bytes {
      made.removeLast(made.count - bytes)
    } else {
      made += Array(repeating: 0, count: bytes - made.count)
    }
    for (page, start) in pages where (1...length).contains(page) {
      made.replaceSubrange((page - 1) * size..<page * size, with: log[start..<start + size])
    }
    return made
  }

  private static func pageSize(_ database: [UInt8]) -> Int {
    let stated = Int(database[16]) << 8 | Int(database[17])
    return stated == 1 ? 65_536 : stated
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The log's running sum: of words in the order of bytes that its header names.
  private struct Checksum {
    let isBig: Bool
    private var sums: (UInt32, UInt32) = (0, 0)

    init(isBig: Bool) { self.isBig = isBig }

    /// - Parameter bytes: a multiple of eight.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
      var place = bytes.startIndex
      while place + 8 <= bytes.endIndex {
        sums.0 = sums.0 &+ word(bytes, place) &+ sums.1
        sums.1 = sums.1 &+ word(bytes, place + 4) &+ sums.0
        place += 8
      }
    }

    private func word(_ bytes: ArraySlice<UInt8>, _ place: Int) -> UInt32 {
      let four = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[place + $1]) }
      return isBig ? four : four.byteSwapped
    }

    func isSame(_ bytes: [UInt8], at place: Int) -> Bool {
      WriteAheadLog.word(bytes, place) == sums.0 && WriteAheadLog.word(bytes, place + 4) == sums.1
    }
  }
}
