// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Numbers that somebody else chose never end the process.
@Suite struct ToldOverflowTests {
  /// RFC 3492 section 6.4: numbers that lie beyond the machine's, or beyond Unicode, make the label none.
  @Test(arguments: [
    "xn--hz767205604493046e.example", "xn--99999999999999999999", "xn--a-99999999999999999999999999",
    "xn--zzzzzzzzzzzzzzzzzzzz", "xn--9999999999999b", "xn---", "xn--a-", "xn--\u{0}",
  ])
  func aNameThatOverflowsIsNoName(host: String) {
    #expect(InternationalName.unicode(host) == nil)
  }

  /// Every label of three to five bases is either none or leads back to what it was.
  @Test func whatDecodesEncodes() {
    let digits = Array("az09k5".utf8)
    var decoded = 0
    for number in 0..<20_000 {
      var rest = number
      var label: [UInt8] = []
      while rest > 0 {
        label.append(digits[rest % digits.count])
        rest /= digits.count
      }
      let name = "xn--" + String(decoding: label, as: UTF8.self)
      guard let shown = InternationalName.unicode(name) else { continue }
      decoded += 1
      #expect((try? InternationalName.ascii(shown)) == name)
    }
    #expect(decoded > 100)
  }

  /// RFC 9535 section 2.1: an index lies within ±(2^53 - 1).
  @Test(arguments: ["$[-9223372036854775808]", "$[9223372036854775807]", "$[99999999999999999999]", "$[-0]"])
  func anIndexBeyondAllIsRefused(path: String) {
    #expect(throws: JSONPath.Invalid.self) { try JSONPath(path) }
  }

  @Test func whatDoesNotFitIsTold() {
    #expect(Int64.max.sum(1) == nil && Int64.min.sum(-1) == nil && Int64.max.sum(-1) == .max - 1)
    #expect(UInt64.zero.difference(1) == nil && Int8.min.difference(1) == nil && UInt8(3).difference(3) == 0)
    #expect(Int64.min.product(-1) == nil && Int64.max.product(2) == nil && Int64(3).product(4) == 12)
    #expect(Int64.max.bounded(plus: 1) == .max && Int64.min.bounded(plus: -1) == .min)
    #expect(Int64.min.bounded(minus: 1) == .min && Int64.max.bounded(minus: -1) == .max)
    #expect(UInt64.zero.bounded(minus: 1) == 0 && UInt8.max.bounded(plus: 1) == .max)
  }

  @Test(arguments: [
    (Double.nan, -7), (.infinity, 9), (-.infinity, -7), (1e300, 9), (-1e300, -7), (3.9, 3), (-3.9, -3),
    (0, 0),
  ])
  func anyMeasureIsAWholeNumber(value: Double, expected: Int) {
    #expect(whole(value, in: -7...9) == expected)
  }
}
