// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// HTML that cannot be injected into: what a literal says is markup, what is interpolated is text and gets escaped,
/// in elements and in quoted attributes alike. Only `Markup` itself goes in as it is.
package struct Markup: ExpressibleByStringInterpolation, Sendable {
  package private(set) var html: String

  package init(stringLiteral value: String) { html = value }

  package init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

  init(_ parts: [Markup]) { html = parts.map(\.html).joined() }

  /// A name as its owner wrote it: soft hyphens and joiners do their work, and what else is invisible is shown.
  init(name: String) {
    var parts: [Markup] = []
    var run = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      if ["\u{ad}", "\u{200c}", "\u{200d}"].contains(scalar) {
        parts += ["\(String(run))", Markup(stringLiteral: String(scalar))]
        run = String.UnicodeScalarView()
      } else {
        run.append(scalar)
      }
    }
    self.init(parts + ["\(String(run))"])
  }

  static func + (left: Markup, right: Markup) -> Markup { Markup([left, right]) }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    package init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(literalCapacity * 2) }

    package mutating func appendLiteral(_ literal: String) { html += literal }

    mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

    mutating func appendInterpolation(_ number: Int) { html += String(number) }

    /// Bytes that stand for themselves: ASCII that is seen and is no markup.
    private static let isPlain: [Bool] = (0..<256).map { byte in
      (0x20..<0x7f).contains(byte) && !"&<>\"'".utf8.contains(UInt8(byte))
    }

    /// Invisible characters are shown as escapes.
    package mutating func appendInterpolation(_ text: String) {
      // Nearly all there is: thousands of them are on a page.
      if text.utf8.allSatisfy({ Self.isPlain[Int($0)] }) {
        html += text
        return
      }
      for scalar in text.printable(maxBytes: .max).unicodeScalars {
        switch scalar {
        case "&": html += "&amp;"
        case "<": html += "&lt;"
        case ">": html += "&gt;"
        case "\"": html += "&quot;"
        case "'": html += "&#39;"
        default: html.unicodeScalars.append(scalar)
        }
      }
    }

    /// A coordinate in a drawing, with one decimal.
    mutating func appendInterpolation(_ number: Double) {
      let tenths = whole((number * 10).rounded(), in: -1_000_000...1_000_000)
      html += (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
  }
}
