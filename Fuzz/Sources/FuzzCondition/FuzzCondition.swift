// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring

/// Two texts, parted by a line break: conditions as a file has them, and decimals held against each other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let line = bytes.prefix { $0 != 0x0a }
  let left = String(decoding: line, as: UTF8.self)
  let right = String(decoding: bytes[line.endIndex...].dropFirst(), as: UTF8.self)
  let condition = Condition(parsing: left)
  // What it prints is read back as what it is.
  precondition(Condition(parsing: condition.description) == condition)
  // One on a JSON value too, whichever way it was quoted.
  for isPlain in [false, true] {
    let typed = Condition(json: ConditionText(left, isPlain: isPlain))
    let again = Condition(
      json: ConditionText(
        typed.comparison == .equal ? typed.operand : typed.description, isPlain: typed.type == .word))
    precondition(again == typed)
  }
  _ = Condition.misspelling(of: left)
  if condition.number != nil { precondition(DecimalNumber(condition.operand) != nil) }
  compare(condition.operand, right)
  return 0
}

private func compare(_ left: String, _ right: String) {
  guard let a = DecimalNumber(left) else { return }
  precondition(a == a && !(a < a))
  guard let b = DecimalNumber(right) else { return }
  precondition([a < b, b < a, a == b].filter(\.self).count == 1)
  // A double rounds; it never turns two numbers round.
  guard let x = Double(left), let y = Double(right) else { return }
  if x < y { precondition(a < b) }
  if x > y { precondition(b < a) }
}
