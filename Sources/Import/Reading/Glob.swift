// SPDX-License-Identifier: MIT

import Basics

/// A pattern of `*` and `?`, in time that grows with the product of both lengths at most.
enum Glob {
  static func matches(_ pattern: String, _ text: String, hasQuestions: Bool = true) -> Bool {
    let (pattern, text) = (Array(pattern.utf8), Array(text.utf8))
    var (place, wanted) = (0, 0)
    var star: (wanted: Int, place: Int)?
    while place < text.count {
      if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "*") {
        star = (wanted, place)
        wanted += 1
      } else if wanted < pattern.count,
        pattern[wanted] == text[place] || hasQuestions && pattern[wanted] == UInt8(ascii: "?")
      {
        (place, wanted) = (place + 1, wanted + 1)
      } else if let back = star {
        star = (back.wanted, back.place + 1)
        (place, wanted) = (back.place + 1, back.wanted + 1)
      } else {
        return false
      }
    }
    return pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
