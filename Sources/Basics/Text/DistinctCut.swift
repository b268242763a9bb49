// SPDX-License-Identifier: MIT

/// Texts for one column, each cut in its middle, where addresses and names differ least. Two that would look alike are cut in
/// front instead, so that each begins where they differ.
///
/// - Parameter limit: columns of the screen for each.
package func distinctCuts(_ texts: [String], columns limit: Int) -> [String] {
  var cuts = texts.map { $0.cutInMiddle(columns: limit) }
  var alike: [ByteText: [Int]] = [:]
  for index in cuts.indices where texts[index].columns > limit {
    alike[ByteText(cuts[index]), default: []].append(index)
  }
  for indices in alike.values where Set(indices.map { ByteText(texts[$0]) }).count > 1 {
    let shared = commonPrefix(indices.map { texts[$0] })
    for index in indices {
      cuts[index] = ("…" + texts[index].dropFirst(shared)).cut(columns: limit)
    }
  }
  return cuts
}

/// Number of characters that all have in front.
private func commonPrefix(_ texts: [String]) -> Int {
  guard let first = texts.first.map({ [Character]($0) }) else { return 0 }
  return texts.reduce(first.count) { shared, text in
    min(shared, zip(first, text).prefix { $0 == $1 }.count)
  }
}

extension String {
  /// The front and the end, with an ellipsis between them, in so many columns.
  fileprivate func cutInMiddle(columns limit: Int) -> String {
    guard columns > limit, limit > 2 else { return cut(columns: limit) }
    let front = limit / 2
    // Ends with the ellipsis.
    let head = cut(columns: front)
    var tail: [Character] = []
    var room = limit - head.columns
    for character in reversed() {
      let width = String(character).columns
      guard width <= room else { break }
      room -= width
      tail.append(character)
    }
    return head + String(tail.reversed())
  }
}
