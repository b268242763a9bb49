// SPDX-License-Identifier: MIT

import Glibc

/// The system's time zones: the compiled files of the package `tzdata`.
///
/// Read here and not by Foundation, whose ICU brings a frozen copy of its own: governments change their clocks at a
/// few weeks' notice, and the system's package follows.
package struct TimeZoneFiles: Hashable, Sendable {
  package let folder: String

  package init(folder: String = "/usr/share/zoneinfo") { self.folder = folder }

  /// Why a zone cannot be used.
  package struct Failure: Error, Hashable, Sendable {
    package var message: String
    package var hint: String?
  }

  /// Blocks for the time of reading one small file.
  package func zone(_ name: String) throws(Failure) -> TimeZoneRules {
    if name == "UTC" { return .utc }
    guard Self.isName(name) else {
      throw Failure(
        message: "must be the IANA name of a time zone",
        hint: "such as Europe/London, America/New_York or UTC")
    }
    guard let bytes = Self.read(folder + "/" + name) else {
      guard Self.read(folder + "/Europe/London") != nil else {
        throw Failure(
          message: "needs the system's time zones, and \(folder) has none",
          hint: "install the package tzdata, or write UTC")
      }
      throw Failure(message: "is no time zone this system knows", hint: suggestion(for: name))
    }
    guard let rules = TimeZoneRules(name: name, file: bytes) else {
      throw Failure(
        message: "names a file of \(folder) that is damaged", hint: "install the package tzdata again")
    }
    return rules
  }

  /// Names of places as `zone.tab` lists them; empty where there is no such file.
  package var names: [String] {
    guard let bytes = Self.read(folder + "/zone.tab") else { return [] }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard line.first != UInt8(ascii: "#") else { return nil }
      let columns = line.split(separator: UInt8(ascii: "\t"))
      return columns.count >= 3 ? String(decoding: columns[2], as: UTF8.self) : nil
    }
  }

  /// The name that differs in upper and lower case only, or in the continent.
  private func suggestion(for name: String) -> String? {
    let wanted = name.lowercased()
    let city = wanted.split(separator: "/").last ?? ""
    let names = names + ["UTC"]
    let near =
      names.first { $0.lowercased() == wanted } ?? names.first { $0.lowercased().hasSuffix("/" + city) }
    return near.map { "did you mean \"\($0)\"?" }
      ?? "names are those of the IANA database, such as Europe/London"
  }

  /// Words of letters, digits, `_`, `+` and `-` joined by slashes: no way out of the folder.
  private static func isName(_ name: String) -> Bool {
    guard (1...64).contains(name.utf8.count) else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          isASCIIAlphanumeric(byte)
            || [UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte)
        }
    }
  }

  /// `nil` for whatever is no readable regular file of at most 256 KiB.
  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= 262_144 else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))  // bounded: held to 262,144 before
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        // bounded: no more than the buffer has
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      filled += count  // bounded: no more than the buffer has
    }
    return bytes
  }
}

extension TimeZoneRules {
  /// A TZif file of version 2 or later (RFC 9636, section 3); nil when it is anything else, or counts leap seconds,
  /// which POSIX time does not have.
  init?(name: String, file: [UInt8]) {
    var reader = ZoneFileReader(bytes: file)
    guard let old = reader.header(), old.version >= 2, reader.skip(old.length(timeSize: 4)),
      let header = reader.header(), header.version >= 2, header.leaps == 0, header.types > 0
    else { return nil }
    var transitions: [Int64] = []
    for _ in 0..<header.times {
      guard let instant = reader.integer(8), instant > transitions.last ?? .min else { return nil }
      transitions.append(instant)
    }
    var indexes: [Int] = []
    for _ in 0..<header.times {
      guard let index = reader.integer(1), index < header.types else { return nil }
      indexes.append(Int(index))  // bounded: one byte, or a count held to 65,536
    }
    var types: [Int64] = []
    for _ in 0..<header.types {
      // An offset of four bytes, whether it is saving time, where its name is.
      guard let offset = reader.integer(4), abs(offset) < 93_600, reader.skip(2) else { return nil }
      types.append(offset)
    }
    // bounded: each count is held to 65,536
    guard reader.skip(header.characters + header.standards + header.universals), let footer = reader.footer()
    else { return nil }
    let rule = PosixZone(text: footer)
    guard footer.isEmpty || rule != nil else { return nil }
    self.init(
      name: name, transitions: transitions, offsets: indexes.map { types[$0] }, first: types[0], rule: rule)
  }
}

/// Reads what RFC 9636 calls a TZif file, big-endian; every read is checked.
private struct ZoneFileReader {
  struct Header {
    var version: Int64
    var universals: Int
    var standards: Int
    var leaps: Int
    var times: Int
    var types: Int
    var characters: Int

    func length(timeSize: Int) -> Int {
      // bounded: each count is held to 65,536
      times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standards + universals
    }
  }

  let bytes: [UInt8]
  private var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= bytes.count - index else { return false }  // bounded: a place within the file
    index += count  // bounded: a place within the file
    return true
  }

  /// Two's complement for four and eight bytes, unsigned for one.
  mutating func integer(_ size: Int) -> Int64? {
    guard size <= bytes.count - index else { return nil }  // bounded: a place within the file
    var value: UInt64 = 0
    // bounded: the bytes are there, and what is shifted out is lost
    for byte in bytes[index..<index + size] { value = value << 8 | UInt64(byte) }
    index += size  // bounded: a place within the file
    // bounded: a wider number
    return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }

  mutating func header() -> Header? {
    // bounded: a place within the file
    guard bytes.count - index >= 44, bytes[index..<index + 4].elementsEqual("TZif".utf8) else { return nil }
    // The version is a digit; the first version is a zero byte.
    let version = Int64(bytes[index + 4]) - 0x30  // bounded: a byte
    index += 20  // bounded: a place within the file
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = integer(4), (0...65_536).contains(count) else { return nil }
      counts.append(Int(count))  // bounded: held to 65,536 before
    }
    return Header(
      version: version, universals: counts[0], standards: counts[1], leaps: counts[2], times: counts[3],
      types: counts[4], characters: counts[5])
  }

  /// The text between the two last newlines.
  mutating func footer() -> [UInt8]? {
    let rest = bytes[index...]
    guard rest.count >= 2, rest.first == 0x0a, rest.last == 0x0a else { return nil }
    let text = Array(rest.dropFirst().dropLast())
    return text.contains(0x0a) ? nil : text
  }
}
