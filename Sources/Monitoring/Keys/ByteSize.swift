// SPDX-License-Identifier: MIT

import Basics

/// Sizes in bytes as people write them: binary units only, for decimal ones are read both ways.
package enum ByteSize {
  private static let units = [
    ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
  ]

  package static func parse(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let unit = units.first(where: { $0.0 == text[digits.endIndex...] }), let count = Int(digits) else {
      return nil
    }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.1)
    return overflow ? nil : bytes
  }

  package static func text(_ bytes: Int) -> String {
    for (unit, scale) in units where bytes >= scale && bytes % scale == 0 { return "\(bytes / scale)\(unit)" }
    return "\(bytes)B"
  }
}
