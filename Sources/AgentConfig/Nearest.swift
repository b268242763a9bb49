// SPDX-License-Identifier: MIT

import Basics

/// The candidate a person most likely meant, or nil when none is near: at most one edit in three characters, where an
/// edit is an insertion, a deletion, a substitution or a swap of neighbours. Case and `-` for `_` cost nothing. A candidate
/// that has no letter of the word is never near.
package func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let folded = fold(word)
  guard (1...40).contains(folded.count) else { return nil }
  var best: (word: String, distance: Int)?
  for candidate in candidates {
    let letters = fold(candidate)
    let distance = editDistance(folded, letters)
    guard distance < max(folded.count, letters.count), distance <= max(1, folded.count / 3),
      distance < best?.distance ?? .max
    else { continue }
    best = (candidate, distance)
  }
  return best?.word
}

private func fold(_ word: String) -> [UInt8] {
  word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
}

/// Optimal string alignment.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
  var before: [Int] = []
  var previous = Array(0...right.count)
  for row in 1...left.count {
    var current = [row] + Array(repeating: 0, count: right.count)
    for column in 1...right.count {
      let differs = left[row - 1] != right[column - 1]
      var cost = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (differs ? 1 : 0))
      if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
        cost = min(cost, before[column - 2] + 1)
      }
      current[column] = cost
    }
    (before, previous) = (previous, current)
  }
  return previous[right.count]
}
