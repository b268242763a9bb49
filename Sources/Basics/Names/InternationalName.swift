// SPDX-License-Identifier: MIT

import CIDN2

/// Names of hosts in people's letters (U-labels, `bücher.example`) and in those of the DNS (A-labels,
/// `xn--bcher-kva.example`): RFC 5890 and 5891 by libidn2, with upper case, the dots of other scripts and decomposed
/// letters mapped as UTS 46 does.
///
/// Stricter than UTS 46: characters that it would replace by others that look different (wide and circled forms,
/// ligatures) and invisible ones (joiners, soft hyphens) are refused. Letters of several scripts in one name are not.
package enum InternationalName {
  package struct Invalid: Error, Hashable, Sendable {
    /// Words that follow "host", such as "has a label that starts with a mark".
    package let message: String
  }

  /// The name as it is looked up. Text in ASCII comes back as it is.
  package static func ascii(_ host: String) throws(Invalid) -> String {
    if host.utf8.allSatisfy({ $0 < 0x80 }) { return host }
    // No URL is longer either, and the work grows with the square of a label.
    guard host.utf8.count <= 2048 else { throw Invalid(message: "is longer than 2048 bytes") }
    let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{ff0e}", "\u{ff61}"]
    var labels: [String] = []
    for label in host.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: dots.contains) {
      labels.append(try asciiLabel(Array(label)))
    }
    let name = labels.joined(separator: ".")
    guard IPAddress(name) == nil else {
      throw Invalid(message: "is an address written with the dots of another script")
    }
    return name
  }

  /// The name as people write it. `nil` when it has no A-label, or one that is not the form of any U-label.
  package static func unicode(_ host: String) -> String? {
    guard host.utf8.count <= 255, hasTwoHyphens(host) else { return nil }
    var labels: [String] = []
    for label in host.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
      guard label.hasPrefix("xn--") else {
        labels.append(String(label))
        continue
      }
      // What is shown must lead back to what is asked for.
      guard let shown = decoded(label), (try? asciiLabel(Array(shown.unicodeScalars))) == String(label) else {
        return nil
      }
      labels.append(shown)
    }
    let name = labels.joined(separator: ".")
    return name == host.lowercased() ? nil : name
  }

  private static func asciiLabel(_ scalars: [Unicode.Scalar]) throws(Invalid) -> String {
    // Composing makes one of four at most, and every scalar takes a byte at least.
    guard scalars.count <= 4 * 63 || scalars.allSatisfy(\.isASCII) else {
      throw Invalid(message: "has a label that is longer than 63 bytes in the form of the DNS")
    }
    let mapped = scalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    if mapped.allSatisfy(\.isASCII) { return text(scalars.allSatisfy(\.isASCII) ? scalars : mapped) }
    try judge(mapped)
    return try encoded(text(mapped))
  }

  /// The A-label. `_` is let through: hosts have it, although RFC 5891 does not.
  private static func encoded(_ label: String) throws(Invalid) -> String {
    var output: UnsafeMutablePointer<CChar>?
    defer { idn2_free(output) }
    let flags = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let code = idn2_to_ascii_8z(label, &output, flags)
    if code == IDN2_TOO_BIG_LABEL.rawValue {
      throw Invalid(message: "has a label that is longer than 63 bytes in the form of the DNS")
    }
    guard code == IDN2_OK.rawValue, let output else {
      throw Invalid(message: "has a label that IDNA 2008 refuses: \(String(cString: idn2_strerror(code)))")
    }
    return String(cString: output)
  }

  /// The U-label of an A-label.
  private static func decoded(_ label: Substring) -> String? {
    // A C text would end at a NUL.
    guard !label.utf8.contains(0) else { return nil }
    var output: UnsafeMutablePointer<CChar>?
    defer { idn2_free(output) }
    guard idn2_to_unicode_8z8z(String(label), &output, 0) == IDN2_OK.rawValue, let output else { return nil }
    return String(cString: output)
  }

  /// RFC 5891, section 4.2, and the classes of RFC 5892 as far as the standard library tells them.
  private static func judge(_ label: [Unicode.Scalar]) throws(Invalid) {
    for scalar in label where !isAllowed(scalar) {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let padded = String(repeating: "0", count: max(0, 4 - code.utf8.count)) + code
      throw Invalid(message: "has the character U+\(padded), which no host name has")
    }
    if let first = label.first, first.properties.isMark {
      throw Invalid(message: "has a label that starts with a mark")
    }
    if label.first == "-" || label.last == "-" {
      throw Invalid(message: "has a label that starts or ends with -")
    }
    if label.count >= 4, label[2] == "-", label[3] == "-" {
      throw Invalid(message: "has a label with -- in the third and fourth place")
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    // Both stand for themselves (RFC 5892, section 2.6), although case folding replaces them.
    if scalar == "\u{df}" || scalar == "\u{3c2}" { return true }
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: break
    default: return false
    }
    let isJamo = [0x1100...0x11ff, 0xa960...0xa97f, 0xd7b0...0xd7ff].contains { $0.contains(scalar.value) }
    return !isJamo && !scalar.properties.changesWhenNFKCCaseFolded
      && !scalar.properties.isDefaultIgnorableCodePoint
  }
}

private func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
  var text = String.UnicodeScalarView()
  text.append(contentsOf: scalars)
  return String(text)
}

extension Unicode.Scalar.Properties {
  fileprivate var isMark: Bool { generalCategory == .nonspacingMark || generalCategory == .spacingMark }
}

/// Two hyphens are in every A-label and in hardly any other name. Looked for byte by byte: this is asked for each
/// result.
private func hasTwoHyphens(_ host: String) -> Bool {
  var last: UInt8 = 0
  for byte in host.utf8 {
    if byte == 0x2d, last == 0x2d { return true }
    last = byte
  }
  return false
}
