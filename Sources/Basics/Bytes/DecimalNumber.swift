// SPDX-License-Identifier: MIT

/// A decimal number of any length, compared exactly: `9007199254740993` is not `9007199254740992`, which a double
/// cannot tell apart, and `1.0`, `1` and `10e-1` are the same.
package struct DecimalNumber: Hashable, Sendable, Comparable {
  /// -1, 0 or 1.
  private let sign: Int
  /// ASCII digits without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// Where the point stands, counted from before the first digit: 0.5 has 0, 5 has 1, 50 has 2.
  private let point: Int

  /// Exponents beyond this are as good as infinite; kept small enough that adding to one never overflows.
  private static let mostExponent = 1 << 40

  /// Reads `-12.5e3` and its like: a sign, digits with at most one point, an exponent. `nil` for anything else, also
  /// for `inf`, `nan`, hexadecimal, spaces and separators.
  package init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    rest = rest[whole.endIndex...]
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: isDigit)
      rest = rest[(rest.startIndex + 1 + fraction.count)...]
    }
    guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
    guard let exponent = Self.exponent(rest) else { return nil }
    let all = Array(whole + fraction)
    let zeros = all.prefix { $0 == UInt8(ascii: "0") }.count
    let last = all.lastIndex { $0 != UInt8(ascii: "0") }
    guard let last else {
      (sign, digits, point) = (0, [], 0)
      return
    }
    sign = isNegative ? -1 : 1
    digits = Array(all[zeros...last])
    point = whole.count - zeros + exponent
  }

  /// Zero for the empty text; nil when the text is no exponent.
  private static func exponent(_ text: ArraySlice<UInt8>) -> Int? {
    guard let mark = text.first else { return 0 }
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
    var rest = text.dropFirst()
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
    let value = rest.reduce(0) { min(mostExponent, $0 * 10 + Int($1 - 0x30)) }
    return isNegative ? -value : value
  }

  package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
    guard left.sign == right.sign else { return left.sign < right.sign }
    if left.sign == 0 { return false }
    let (low, high) = left.sign > 0 ? (left, right) : (right, left)
    guard low.point == high.point else { return low.point < high.point }
    return low.digits.lexicographicallyPrecedes(high.digits)
  }
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
