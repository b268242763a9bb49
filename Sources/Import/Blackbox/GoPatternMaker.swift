// SPDX-License-Identifier: MIT

import Basics

/// A pattern taken apart.
indirect enum GoPatternNode {
  case nothing
  case one(GoPattern.Characters)
  case at(GoPattern.Place)
  case row([GoPatternNode])
  case choice([GoPatternNode])
  /// `most` is `nil` where there is no end.
  case times(GoPatternNode, least: Int, most: Int?, isGreedy: Bool)
  case group(GoPatternNode, number: Int)

  /// The code points of a fixed text.
  var literal: [UInt32]? {
    switch self {
    case .nothing: []
    case .one(let set):
      set.isNegated || set.ranges.count != 1 || set.ranges[0].count != 1 ? nil : [set.ranges[0].lowerBound]
    case .row(let parts):
      parts.reduce([] as [UInt32]?) { made, part in
        guard let made, let next = part.literal else { return nil }
        return made + next
      }
    default: nil
    }
  }

  /// Can match without a character.
  var mayBeEmpty: Bool {
    switch self {
    case .nothing, .at: true
    case .one: false
    case .row(let parts): parts.allSatisfy(\.mayBeEmpty)
    case .choice(let parts): parts.contains(where: \.mayBeEmpty)
    case .times(let part, let least, _, _): least == 0 || part.mayBeEmpty
    case .group(let part, _): part.mayBeEmpty
    }
  }
}

/// Steps of a pattern.
struct GoPatternMaker {
  private(set) var steps: [GoPattern.Step] = []
  /// Steps of one pattern at most.
  private static let most = 10_000

  /// False: it has too many steps.
  mutating func make(_ node: GoPatternNode) -> Bool {
    guard steps.count <= Self.most else { return false }
    switch node {
    case .nothing: return true
    case .one(let set): steps.append(.one(set))
    case .at(let place): steps.append(.at(place))
    case .row(let parts):
      for part in parts { guard make(part) else { return false } }
    case .choice(let parts): return choice(parts[...])
    case .times(let part, let least, let most, let isGreedy):
      for _ in 0..<least {
        let before = steps.count
        guard make(part) else { return false }
        // What has no steps has none however often.
        if steps.count == before { break }
      }
      guard let most else { return many(part, isGreedy) }
      return upTo(most - least, part, isGreedy)
    case .group(let part, let number):
      steps.append(.save(number * 2))
      guard make(part) else { return false }
      steps.append(.save(number * 2 + 1))
    }
    return true
  }

  private mutating func choice(_ parts: ArraySlice<GoPatternNode>) -> Bool {
    var ends: [Int] = []
    for part in parts.dropLast() {
      let fork = steps.count
      steps.append(.go(0))
      guard make(part) else { return false }
      ends.append(steps.count)
      steps.append(.go(0))
      steps[fork] = .either(fork + 1, steps.count)
    }
    guard let last = parts.last, make(last) else { return false }
    for end in ends { steps[end] = .go(steps.count) }
    return true
  }

  /// Any number of times, none included.
  private mutating func many(_ part: GoPatternNode, _ isGreedy: Bool) -> Bool {
    let fork = steps.count
    steps.append(.go(0))
    guard make(part) else { return false }
    if part.mayBeEmpty {
      // Once or more, or not at all: an empty round must not hide what comes behind.
      let back = steps.count
      steps.append(isGreedy ? .either(fork + 1, back + 1) : .either(back + 1, fork + 1))
    } else {
      steps.append(.go(fork))
    }
    steps[fork] = isGreedy ? .either(fork + 1, steps.count) : .either(steps.count, fork + 1)
    return true
  }

  private mutating func upTo(_ count: Int, _ part: GoPatternNode, _ isGreedy: Bool) -> Bool {
    var forks: [Int] = []
    for _ in 0..<count {
      forks.append(steps.count)
      steps.append(.go(0))
      guard make(part) else { return false }
    }
    for fork in forks {
      steps[fork] = isGreedy ? .either(fork + 1, steps.count) : .either(steps.count, fork + 1)
    }
    return true
  }
}
