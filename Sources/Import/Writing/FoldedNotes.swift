// SPDX-License-Identifier: MIT

import Basics

extension ImportNote {
  /// Lines in which notes of one kind and reason are one, with how often and where first: noise by its key.
  ///
  /// - Parameter most: notes of a key that have a line each.
  package static func folded(_ notes: [ImportNote], most: Int = 3) -> [String] {
    struct Kind: Hashable {
      var key: ByteText
      var why: ByteText
      var change: Change?
    }
    var order: [Kind] = []
    var groups: [Kind: [ImportNote]] = [:]
    for note in notes {
      let kind = Kind(key: ByteText(note.key), why: ByteText(note.why), change: note.change)
      if groups[kind] == nil { order.append(kind) }
      groups[kind, default: []].append(note)
    }
    return order.flatMap { kind -> [String] in
      let group = groups[kind] ?? []
      guard let first = group.first, group.count > 1 else { return group.map(\.line) }
      let isSame = group.allSatisfy { $0.line.utf8.elementsEqual(first.line.utf8) }
      guard group.count > most || isSame else { return group.map(\.line) }
      return ["\(first.line) (\(kind.key.text): \(group.count) times)"]
    }
  }

  /// The place without file, line and numbers: `endpoints.ui.hide-url` of `gatus.yaml:7: endpoints[0].ui.hide-url`.
  private var key: String {
    let path = place[(place.range(of: ": ")?.upperBound ?? place.startIndex)...]
    var key: [UInt8] = []
    var isInside = false
    for byte in path.utf8 {
      if byte == UInt8(ascii: "[") { isInside = true }
      if !isInside { key.append(byte) }
      if byte == UInt8(ascii: "]") { isInside = false }
    }
    return String(decoding: key, as: UTF8.self)
  }
}
