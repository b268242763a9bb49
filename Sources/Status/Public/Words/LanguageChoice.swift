// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension PublicLanguage {
  /// Entries of an Accept-Language header that are looked at.
  private static let mostEntries = 32

  /// The language that a reader prefers (RFC 9110 section 12.5.4): of equal weights the first, by primary subtag, so that
  /// `pt-BR` is Portuguese. `nil` where none of ours is wanted.
  package init?(accepted header: String?) {
    guard let header else { return nil }
    var best: (language: PublicLanguage, weight: Double)?
    for item in header.lowercased().utf8.split(separator: UInt8(ascii: ",")).prefix(Self.mostEntries) {
      let parts = item.split(separator: UInt8(ascii: ";")).map {
        String(decoding: $0.trimmed(), as: UTF8.self)
      }
      guard let tag = parts.first, let language = PublicLanguage(tag: tag) else { continue }
      let weight = Self.weight(parts.dropFirst())
      guard weight > (best?.weight ?? 0) else { continue }
      best = (language, weight)
    }
    guard let best else { return nil }
    self = best.language
  }

  /// Of a tag such as `de` or `de-AT`, in any case.
  package init?(tag: String) {
    let primary = tag.lowercased().utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    self.init(word: String(decoding: primary, as: UTF8.self))
  }

  /// 0 to 1; 1 without one, 0 for one that is none.
  private static func weight(_ parameters: ArraySlice<String>) -> Double {
    for parameter in parameters where parameter.hasPrefix("q=") {
      guard let weight = Double(parameter.dropFirst(2)), weight >= 0, weight <= 1 else { return 0 }
      return weight
    }
    return 1
  }
}
