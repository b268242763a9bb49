// SPDX-License-Identifier: MIT

extension String {
  /// Broken at blanks into lines of so many columns. Escapes of colour take no room.
  ///
  /// - Parameters:
  ///   - hanging: columns that the lines after the first are indented by; nil: four more than the first.
  ///   - breaksWords: a word wider than the terminal goes on in the next line. Otherwise it stays whole: addresses and
  ///     URLs are copied.
  package func folded(width: Int, hanging: Int? = nil, breaksWords: Bool = false) -> [String] {
    guard visibleColumns > width else { return [self] }
    let indent = prefix { $0 == " " }.count
    let blanks = String(repeating: " ", count: Swift.min(hanging ?? indent + 4, Swift.max(0, width / 2)))
    var lines: [String] = []
    var current = String(repeating: " ", count: indent)
    var (used, gap, isEmpty) = (indent, 0, true)
    func start(_ text: String, _ columns: Int) {
      lines.append(current)
      (current, used, isEmpty) = (blanks + text, blanks.count + columns, false)
    }
    for piece in words(dropFirst(indent)) {
      var columns = piece.visibleColumns
      if piece.first == " " {
        gap = columns
        continue
      }
      if !isEmpty, used + gap + columns > width {
        start(piece, columns)
      } else {
        columns += isEmpty ? 0 : gap
        current += String(repeating: " ", count: isEmpty ? 0 : gap) + piece
        (used, isEmpty) = (used + columns, false)
      }
      while breaksWords, used > width {
        let (head, tail) = current.split(atColumn: width)
        guard head.visibleColumns > blanks.count, !tail.isEmpty else { break }
        current = head
        start(tail, tail.visibleColumns)
      }
    }
    return lines + [current]
  }

  /// Before and after a column; a character that would reach over it, and all escapes in front, go to the first part
  /// as far as they fit.
  private func split(atColumn limit: Int) -> (String, String) {
    var (head, used, isEscape) = ("", 0, false)
    for index in indices {
      let character = self[index]
      if character == "\u{1b}" { isEscape = true }
      if !isEscape {
        used += String(character).columns
        if used > limit { return (head, String(self[index...])) }
      } else if character == "m" {
        isEscape = false
      }
      head.append(character)
    }
    return (head, "")
  }
}

/// Runs of blanks and runs of everything else, in turn.
private func words(_ text: Substring) -> [String] {
  var words: [String] = []
  for character in text {
    if let last = words.last, (last.last == " ") == (character == " ") {
      words[words.count - 1].append(character)
    } else {
      words.append(String(character))
    }
  }
  return words
}
