// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct DecimalNumberTests {
  /// Ascending; the numbers of one line are equal.
  private static let ladder: [[String]] = [
    ["-1e99999999999999999999"], ["-1e400"], ["-9007199254740993"],
    ["-9007199254740992", "-9007199254740992.0"],
    ["-10", "-1e1", "-0.1e+2"], ["-9.99"], ["-1"], ["-0.5", "-.5"], ["-1e-400"],
    ["0", "-0", "0.000", "0e99", "+0", "-0.0e-7", ".0", "0."], ["1e-99999999999999999999"], ["1e-400"],
    ["0.1", "1e-1", "0.10", "00.1"], ["0.1000000000000000000000000000001"],
    ["1", "1.0", "10e-1", "+1", "001", "1.", "0.0001e4"], ["1.5"], ["9"], ["10"],
    ["9007199254740992"], ["9007199254740993", "9007199254740993.000"], ["18446744073709551616"],
    ["123456789012345678901234567890"], ["123456789012345678901234567891"], ["1e400", "0.1e401"],
    ["1e99999999999999999999"],
  ]

  @Test func comparesExactly() throws {
    let numbers = try Self.ladder.map { try $0.map { try #require(DecimalNumber($0), "\($0)") } }
    for (low, equals) in numbers.enumerated() {
      for number in equals {
        for other in equals {
          #expect(number == other)
          #expect(!(number < other))
        }
        for higher in numbers[(low + 1)...].joined() {
          #expect(number < higher)
          #expect(!(higher < number) && number != higher)
        }
      }
    }
  }

  @Test(arguments: [
    "", "-", "+", ".", "-.", "e1", "1e", "1e+", "1e1.5", "0x10", "inf", "nan", "1 ", " 1", "1,000", "1_000",
    "--1",
    "+-1", "1.2.3", "½", "٣", "1e1e1", "1-1",
  ])
  func takesNothingElse(text: String) { #expect(DecimalNumber(text) == nil) }

  /// Where a double is exact, both agree.
  @Test func agreesWithDoubles() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let (a, b) = (
        Int32.random(in: -999...999, using: &generator), Int32.random(in: -999...999, using: &generator)
      )
      let (x, y) = (Double(a) / 8, Double(b) / 8)
      let (left, right) = try (#require(DecimalNumber("\(x)")), #require(DecimalNumber("\(y)")))
      #expect((left < right) == (x < y) && (left == right) == (x == y), "\(x) \(y)")
    }
  }
}
