// SPDX-License-Identifier: MIT

/// Texts for one column, each cut in its middle, where addresses and names differ least. Two that would look alike are cut in
/// front instead, so that each begins where they differ; those that then still look alike end in a number. Equal texts stay
/// equal. Where there is no room for a number they stay alike.
///
/// - Parameter limit: columns of the screen for each.
package func distinctCuts(_ texts: [String], columns limit: Int) -> [String] {
  var cuts = texts.map { $0.cutInMiddle(columns: limit) }
  for indices in alike(cuts, of: texts, beyond: limit) { begin(indices, of: texts, limit, &cuts) }
  for indices in alike(cuts, of: texts, beyond: limit) { number(indices, of: texts, limit, &cuts) }
  return cuts
}

/// Places of different texts whose cuts are the same, those that are whole left out: they stay as they are.
private func alike(_ cuts: [String], of texts: [String], beyond limit: Int) -> [[Int]] {
  var places: [ByteText: [Int]] = [:]
  for index in cuts.indices { places[ByteText(cuts[index]), default: []].append(index) }
  return places.values.filter { Set($0.map { ByteText(texts[$0]) }).count > 1 }
    .map { $0.filter { texts[$0].columns > limit } }.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
}

/// Cuts texts in front of where they differ; those that go on alike from there, in front of where these differ.
private func begin(_ indices: [Int], of texts: [String], _ limit: Int, _ cuts: inout [String]) {
  var open = [indices]
  for _ in 0..<mostDepth where !open.isEmpty {
    var next: [[Int]] = []
    for group in open {
      let shared = commonPrefix(group.map { texts[$0] })
      for index in group { cuts[index] = ("…" + texts[index].dropFirst(shared)).cut(columns: limit) }
      next += alike(group.map { cuts[$0] }, of: group.map { texts[$0] }, beyond: limit).map {
        $0.map { group[$0] }
      }
    }
    open = next
  }
}

/// How often a group is divided: what is alike then has a number.
private let mostDepth = 8

/// Gives each different text of the group a number at its end that makes it different from all other cuts.
private func number(_ indices: [Int], of texts: [String], _ limit: Int, _ cuts: inout [String]) {
  var taken = Set(cuts.map { ByteText($0) })
  var given: [ByteText: String] = [:]
  var count = 1
  for index in indices {
    if let known = given[ByteText(texts[index])] {
      cuts[index] = known
      continue
    }
    var cut = ""
    repeat {
      count += 1
      let end = "…\(count)"
      guard end.columns <= limit else { return }
      // The text without the ellipsis of its own, for it is longer.
      cut = String(texts[index].cut(columns: limit - end.columns + 1).dropLast()) + end
    } while taken.contains(ByteText(cut))
    taken.insert(ByteText(cut))
    given[ByteText(texts[index])] = cut
    cuts[index] = cut
  }
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
