// SPDX-License-Identifier: MIT

/// RFC 3492 with the parameters of section 5: the letters of a label in those of the DNS.
enum Punycode {
  private static let base = 36
  private static let smallest = 1
  private static let largest = 26
  private static let skew = 38
  private static let damp = 700
  private static let initialBias = 72
  private static let initialNumber = 0x80

  /// Without the prefix `xn--`. Nil when a number would not fit, which no label of 63 bytes comes near.
  static func encode(_ scalars: [Unicode.Scalar]) -> String? {
    var output = scalars.filter(\.isASCII).map { UInt8($0.value) }  // bounded: all of them are ASCII
    let basic = output.count
    var handled = basic
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var (number, delta, bias) = (initialNumber, 0, initialBias)
    while handled < scalars.count {
      // bounded: a scalar has 21 bits
      guard let next = scalars.map({ Int($0.value) }).filter({ $0 >= number }).min() else { return nil }
      // bounded: next is no less than number, and handled counts scalars in memory
      guard let step = (next - number).product(handled + 1), let sum = delta.sum(step) else { return nil }
      delta = sum
      number = next
      for scalar in scalars {
        if scalar.value < number { delta += 1 }  // bounded: at most the length of a text times 21 bits
        guard scalar.value == number else { continue }
        output += digits(of: delta, bias: bias)
        // bounded: handled counts scalars in memory
        bias = adapt(delta, count: handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1  // bounded: it counts scalars in memory
      }
      delta += 1  // bounded: at most the length of a text times 21 bits
      number += 1  // bounded: a scalar has 21 bits
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Nil for what `encode` never makes.
  static func decode(_ text: some StringProtocol) -> [Unicode.Scalar]? {
    let bytes = Array(text.utf8)
    let split = bytes.lastIndex(of: UInt8(ascii: "-"))
    var output = bytes[..<(split ?? 0)].map { Unicode.Scalar($0) }
    guard output.allSatisfy(\.isASCII) else { return nil }
    // bounded: a place within the text
    var rest = bytes[(split.map { $0 + 1 } ?? 0)...]
    var (number, index, bias) = (initialNumber, 0, initialBias)
    while !rest.isEmpty {
      guard let delta = takeNumber(&rest, bias: bias) else { return nil }
      let count = output.count + 1  // bounded: no more than the text is long
      bias = adapt(delta, count: count, isFirst: index == 0 && number == initialNumber)
      // RFC 3492 section 6.4: a number that does not fit is an error, and so is one beyond Unicode.
      guard let place = index.sum(delta), let next = number.sum(place / count),
        let scalar = UInt32(exactly: next).flatMap(Unicode.Scalar.init)
      else { return nil }
      number = next
      index = place % count
      output.insert(scalar, at: index)
      index += 1  // bounded: no more than the text is long
    }
    return output
  }

  private static func threshold(_ position: Int, _ bias: Int) -> Int {
    // bounded: at most 2,048 scalars of 21 bits; sums and products of them that may grow are told
    min(max(position - bias, smallest), largest)
  }

  /// A generalized variable-length integer.
  private static func digits(of delta: Int, bias: Int) -> [UInt8] {
    var output: [UInt8] = []
    var (rest, position) = (delta, base)
    while true {
      let threshold = threshold(position, bias)
      guard rest >= threshold else { break }
      // bounded: rest is no less than threshold, which is below base
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      // bounded: rest is no less than threshold, which is below base
      rest = (rest - threshold) / (base - threshold)
      position += base  // bounded: rest is at least halved each time, so it is 64 steps of 36
    }
    return output + [digit(rest)]
  }

  private static func takeNumber(_ rest: inout ArraySlice<UInt8>, bias: Int) -> Int? {
    var (value, weight, position) = (0, 1, base)
    while let byte = rest.popFirst() {
      guard let digit = digitValue(byte) else { return nil }
      guard let sum = digit.product(weight).flatMap(value.sum) else { return nil }
      value = sum
      let threshold = threshold(position, bias)
      if digit < threshold { return value }
      // bounded: a threshold is 26 at most
      guard let heavier = weight.product(base - threshold) else { return nil }
      weight = heavier
      position += base  // bounded: no more than the text is long
    }
    return nil
  }

  private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count  // bounded: delta was divided by two at least
    var steps = 0
    while delta > (base - smallest) * largest / 2 {  // bounded: constants
      delta /= base - smallest  // bounded: constants
      steps += base  // bounded: delta is divided by 35 each time, so it is 13 steps of 36
    }
    return steps + (base - smallest + 1) * delta / (delta + skew)  // bounded: delta is at most 455 here
  }

  private static func digit(_ value: Int) -> UInt8 {
    // bounded: at most 2,048 scalars of 21 bits; sums and products of them that may grow are told
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }

  private static func digitValue(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30 + 26  // bounded: a byte
    case 0x41...0x5a: Int(byte) - 0x41  // bounded: a byte
    case 0x61...0x7a: Int(byte) - 0x61  // bounded: a byte
    default: nil
    }
  }
}
