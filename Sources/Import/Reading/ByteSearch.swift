// SPDX-License-Identifier: MIT

import Basics

extension StringProtocol {
  /// Where the bytes of `part` first stand; nil: nowhere, also for an empty part.
  func range(of part: String) -> Range<String.Index>? {
    let wanted = Array(part.utf8)
    guard let first = wanted.first else { return nil }
    var start = utf8.startIndex
    while let found = utf8[start...].firstIndex(of: first) {
      if utf8[found...].starts(with: wanted) {
        return found..<utf8.index(found, offsetBy: wanted.count)
      }
      start = utf8.index(after: found)
    }
    return nil
  }
}
