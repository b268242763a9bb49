// SPDX-License-Identifier: MIT

/// Finds many words in one pass (Aho and Corasick, 1975): the time grows with the text and the words' bytes, however
/// they repeat themselves and one another.
struct WordFinder: Sendable {
  /// Bytes of distinct beginnings at most, 17 bytes of memory each.
  static let largest = 1 << 20

  /// Of each node: its byte, its first child, the next child of its parent, where to go on when no child fits, and the
  /// length of the longest word that ends here. Node 0 is the root.
  private var bytes: [UInt8] = [0]
  private var children: [Int32] = [0]
  private var siblings: [Int32] = [0]
  private var fallbacks: [Int32] = [0]
  private var longest: [Int32] = [0]
  /// The root's children, by byte.
  private var first = [Int32](repeating: 0, count: 256)

  /// `nil` where the words are more than `largest`.
  init?(_ words: some Sequence<[UInt8]>) {
    for word in words where !word.isEmpty {
      guard add(word) else { return nil }
    }
    link()
  }

  var isEmpty: Bool { bytes.count == 1 }

  private mutating func add(_ word: [UInt8]) -> Bool {
    var node = 0
    for byte in word {
      if let next = child(of: node, byte) {
        node = next
        continue
      }
      guard bytes.count < Self.largest else { return false }
      let new = Int32(bytes.count)
      bytes.append(byte)
      children.append(0)
      fallbacks.append(0)
      longest.append(0)
      if node == 0 {
        siblings.append(0)
        first[Int(byte)] = new
      } else {
        siblings.append(children[node])
        children[node] = new
      }
      node = Int(new)
    }
    longest[node] = Int32(word.count)
    return true
  }

  private func child(of node: Int, _ byte: UInt8) -> Int? {
    if node == 0 {
      let next = Int(first[Int(byte)])
      return next == 0 ? nil : next
    }
    var next = Int(children[node])
    while next != 0, bytes[next] != byte { next = Int(siblings[next]) }
    return next == 0 ? nil : next
  }

  /// Level by level, so that what a node falls back to is complete.
  private mutating func link() {
    var level = first.filter { $0 != 0 }
    while !level.isEmpty {
      var deeper: [Int32] = []
      for node in level {
        var child = children[Int(node)]
        while child != 0 {
          let fallback = step(from: Int(fallbacks[Int(node)]), bytes[Int(child)])
          fallbacks[Int(child)] = Int32(fallback)
          if longest[Int(child)] == 0 { longest[Int(child)] = longest[fallback] }
          deeper.append(child)
          child = siblings[Int(child)]
        }
      }
      level = deeper
    }
  }

  private func step(from start: Int, _ byte: UInt8) -> Int {
    var node = start
    while true {
      if let next = child(of: node, byte) { return next }
      if node == 0 { return 0 }
      node = Int(fallbacks[node])
    }
  }

  /// The runs of bytes that belong to a word, ascending; runs that touch are one. `nil` for none.
  func runs(in text: some Sequence<UInt8>) -> [Range<Int>]? {
    // Of each word that ends somewhere, the longest; it covers the others that end there.
    var starts: [(start: Int, end: Int)] = []
    var node = 0
    for (index, byte) in text.enumerated() {
      node = step(from: node, byte)
      let length = Int(longest[node])
      guard length > 0 else { continue }
      var found = (start: index + 1 - length, end: index + 1)
      // The ends ascend: what begins at or behind this one's start is part of its run.
      while let last = starts.last, last.end >= found.start {
        found.start = min(found.start, last.start)
        starts.removeLast()
      }
      starts.append(found)
    }
    return starts.isEmpty ? nil : starts.map { $0.start..<$0.end }
  }
}

/// How many bytes at the end of `text` are a beginning of `word`, and not all of it.
package func overlap(endOf text: [UInt8], withStartOf word: [UInt8]) -> Int {
  guard !word.isEmpty else { return 0 }
  var borders = [0]
  var length = 0
  for index in word.indices.dropFirst() {
    while length > 0, word[index] != word[length] { length = borders[length - 1] }
    if word[index] == word[length] { length += 1 }
    borders.append(length)
  }
  length = 0
  for byte in text.suffix(2 * word.count) {
    if length == word.count { length = borders[length - 1] }
    while length > 0, byte != word[length] { length = borders[length - 1] }
    if byte == word[length] { length += 1 }
  }
  return length == word.count ? borders[length - 1] : length
}
