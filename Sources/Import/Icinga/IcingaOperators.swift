// SPDX-License-Identifier: MIT

import Basics

// Operators of values.
extension IcingaWork {
  func binary(
    _ sign: String, _ left: IcingaExpression, _ right: IcingaExpression, _ scope: Scope
  ) throws(ImportProblem) -> IcingaValue {
    let first = try evaluate(left, scope)
    if sign == "&&" || sign == "||" {
      // One side may decide alone.
      if first.truth == (sign == "||") { return first }
      let second = try evaluate(right, scope)
      if first.truth == nil { return second.truth == (sign == "||") ? second : first }
      return IcingaValue(kind: second.kind, sources: first.sources + second.sources)
    }
    return try combined(sign, first, try evaluate(right, scope))
  }

  func combined(
    _ sign: String, _ left: IcingaValue, _ right: IcingaValue
  ) throws(ImportProblem) -> IcingaValue {
    if case .unknown = left.kind { return left }
    if case .unknown = right.kind { return right }
    let sources = left.sources + right.sources
    func made(_ kind: IcingaValue.Kind) -> IcingaValue { IcingaValue(kind: kind, sources: sources) }
    switch sign {
    case "==": return made(.flag(try isSame(left, right)))
    case "!=": return made(.flag(!(try isSame(left, right))))
    case "in", "!in":
      guard case .list(let items) = right.kind else {
        return right.truth == false ? made(.flag(sign == "!in")) : .unknown("what `in` looks into is no list")
      }
      let found = try isAmong(left, items)
      guard let isIn = found.truth else { return found }
      return made(.flag(isIn == (sign == "in")))
    case "+": return try sum(left, right, sources)
    default: break
    }
    if case .text(let first) = left.kind, case .text(let second) = right.kind {
      switch sign {
      case "<": return made(.flag(first.utf8.lexicographicallyPrecedes(second.utf8)))
      case ">": return made(.flag(second.utf8.lexicographicallyPrecedes(first.utf8)))
      default: return .unknown("\(sign) of texts is not worked out")
      }
    }
    guard let first = Self.number(left), let second = Self.number(right) else {
      return .unknown("\(sign) of such values is not worked out")
    }
    switch sign {
    case "<": return made(.flag(first < second))
    case ">": return made(.flag(first > second))
    case "<=": return made(.flag(first <= second))
    case ">=": return made(.flag(first >= second))
    case "-": return made(.number(first - second))
    case "*": return made(.number(first * second))
    case "/" where second != 0: return made(.number(first / second))
    default: return .unknown("\(sign) is not worked out")
    }
  }

  private static func number(_ value: IcingaValue) -> Double? {
    switch value.kind {
    case .null: 0
    case .number(let number): number
    default: nil
    }
  }

  private func sum(
    _ left: IcingaValue, _ right: IcingaValue, _ sources: [ForeignNode]
  ) throws(ImportProblem) -> IcingaValue {
    switch (left.kind, right.kind) {
    case (.null, _): return right
    case (_, .null): return left
    case (.number(let first), .number(let second)):
      return IcingaValue(kind: .number(first + second), sources: sources)
    case (.list(let first), .list(let second)):
      try step(first.count + second.count)
      guard first.count + second.count <= ForeignLimits.checks else { return .unknown("a list is too long") }
      return IcingaValue(kind: .list(first + second), sources: sources)
    case (.map(let first), .map(let second)):
      try step((first.count + 1) * (second.count + 1))
      var made = first
      for entry in second {
        if let index = made.firstIndex(where: { $0.name == entry.name }) {
          made[index].value = entry.value
        } else {
          made.append(entry)
        }
      }
      return IcingaValue(kind: .map(made), sources: sources)
    default:
      guard let first = left.text, let second = right.text,
        first.utf8.count + second.utf8.count <= ForeignLimits.words
      else { return .unknown("+ of such values is not worked out") }
      return IcingaValue(kind: .text(first + second), sources: sources)
    }
  }

  /// Whether an item is the value: unknown where only a group that is not worked out may be it.
  func isAmong(_ value: IcingaValue, _ items: [IcingaValue]) throws(ImportProblem) -> IcingaValue {
    var isIn = false
    var doubt: IcingaValue?
    for item in items {
      if try isSame(value, item) { isIn = true }
      if let name = item.candidate, value.text.map({ ByteText($0) }) == ByteText(name) { doubt = item }
    }
    return isIn ? IcingaValue(kind: .flag(true)) : doubt ?? IcingaValue(kind: .flag(false))
  }

  func isSame(_ left: IcingaValue, _ right: IcingaValue) throws(ImportProblem) -> Bool {
    try step()
    switch (left.kind, right.kind) {
    case (.null, .null): return true
    case (.text(let first), .text(let second)): return ByteText(first) == ByteText(second)
    case (.number(let first), .number(let second)): return first == second
    case (.flag(let first), .flag(let second)): return first == second
    // True and false are 1 and 0 beside a number.
    case (.number(let number), .flag(let flag)), (.flag(let flag), .number(let number)):
      return number == (flag ? 1 : 0)
    case (.list(let first), .list(let second)):
      guard first.count == second.count else { return false }
      for (one, other) in zip(first, second) where try !isSame(one, other) { return false }
      return true
    // An empty text is nothing, as Icinga compares.
    case (.null, _): return right.isEmpty
    case (_, .null): return left.isEmpty
    default: return false
    }
  }
}
