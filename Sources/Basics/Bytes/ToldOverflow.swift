// SPDX-License-Identifier: MIT

/// Arithmetic on numbers from outside: an overflow is reported, or stays at the end of the range. The operators end the
/// process instead, which is right for our own numbers and wrong for those of a network, a file or another process;
/// `scripts/check-house` keeps them out of the readers of such numbers.
extension FixedWidthInteger {
  /// `nil` when it does not fit.
  package func sum(_ other: Self) -> Self? {
    let (value, overflow) = addingReportingOverflow(other)
    return overflow ? nil : value
  }

  /// `nil` when it does not fit.
  package func difference(_ other: Self) -> Self? {
    let (value, overflow) = subtractingReportingOverflow(other)
    return overflow ? nil : value
  }

  /// `nil` when it does not fit.
  package func product(_ other: Self) -> Self? {
    let (value, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : value
  }

  /// The greatest or least number there is, where the sum lies beyond it.
  package func bounded(plus other: Self) -> Self { sum(other) ?? (other < 0 ? .min : .max) }

  /// The least or greatest number there is, where the difference lies beyond it.
  package func bounded(minus other: Self) -> Self { difference(other) ?? (other < 0 ? .max : .min) }
}

/// The whole number next to zero of a measure that may be anything, infinite or no number at all (then the least).
package func whole(_ value: Double, in range: ClosedRange<Int>) -> Int {
  guard value > Double(range.lowerBound) else { return range.lowerBound }
  guard value < Double(range.upperBound) else { return range.upperBound }
  return Int(value)
}
