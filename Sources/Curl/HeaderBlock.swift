// SPDX-License-Identifier: MIT

import Basics

/// The header lines of one answer as they came, checked but not yet text: most answers are judged by their status
/// alone.
package struct HeaderBlock: Hashable, Sendable {
  /// Each line without its end, then a line feed, which no line can hold.
  private var bytes: [UInt8] = []

  /// Most answers have no more.
  private static let usualSize = 512

  package init() {}

  package init(_ fields: [HeaderField]) {
    for field in fields { bytes += Array("\(field.name):\(field.value.reveal())\n".utf8) }
  }

  /// - Parameter line: has a colon that is not its first byte, and no line end.
  mutating func append(_ line: UnsafeRawBufferPointer) {
    if bytes.isEmpty { bytes.reserveCapacity(Self.usualSize) }
    bytes.append(contentsOf: line)
    bytes.append(UInt8(ascii: "\n"))
  }

  var isEmpty: Bool { bytes.isEmpty }

  /// Joins a folded line to the one before it: one blank for the line's end and the blanks around it.
  ///
  /// - Parameter line: begins with a blank and has no line end. The block is not empty.
  mutating func unfold(_ line: UnsafeRawBufferPointer) {
    bytes.removeLast()
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: line.drop(while: isBlank))
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// All of them, in order, as text: bytes that are no UTF-8 are replaced.
  package var fields: [HeaderField] {
    var fields: [HeaderField] = []
    forEach { name, value in
      fields.append(
        HeaderField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
      return true
    }
    return fields
  }

  /// The values of that name, in order. Names are compared without regard to letter case.
  package func values(_ name: String) -> [String] {
    var values: [String] = []
    let wanted = Array(name.utf8)
    forEach { name, value in
      if isSame(name, wanted) { values.append(String(decoding: value, as: UTF8.self)) }
      return true
    }
    return values
  }

  package func first(_ name: String) -> String? {
    var found: String?
    let wanted = Array(name.utf8)
    forEach { name, value in
      guard isSame(name, wanted) else { return true }
      found = String(decoding: value, as: UTF8.self)
      return false
    }
    return found
  }

  /// The first value of that name as a URL reference: blanks, and bytes that are no UTF-8, in percent form, as browsers
  /// send them on.
  package func reference(_ name: String) -> String? {
    var found: String?
    let wanted = Array(name.utf8)
    forEach { name, value in
      guard isSame(name, wanted) else { return true }
      let isText = String(validating: value, as: UTF8.self) != nil
      found = String(decoding: value.flatMap { escaped($0, isText: isText) }, as: UTF8.self)
      return false
    }
    return found
  }

  private func escaped(_ byte: UInt8, isText: Bool) -> [UInt8] {
    if byte == UInt8(ascii: " ") { return Array("%20".utf8) }
    return isText || byte < 0x80 ? [byte] : Array("%\(Base16.text([byte], Base16.upper))".utf8)
  }

  /// Whether there is one of that name.
  func has(_ name: StaticString) -> Bool {
    var found = false
    forEach { one, _ in
      found = name.withUTF8Buffer { isSame(one, $0) }
      return !found
    }
    return found
  }

  /// Until `body` returns false.
  private func forEach(
    _ body: (_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>) -> Bool
  ) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[..<end]
        rest = rest[(end + 1)...]  // bounded: a place within the block
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
        // bounded: a place within the block
        if !body(line[..<colon], line[(colon + 1)...].trimmed()) { return }
      }
    }
  }

  private func isSame(_ name: Slice<UnsafeRawBufferPointer>, _ wanted: some RandomAccessCollection<UInt8>)
    -> Bool
  {
    guard name.count == wanted.count else { return false }
    return zip(name, wanted).allSatisfy { asciiLowered($0) == asciiLowered($1) }
  }
}
