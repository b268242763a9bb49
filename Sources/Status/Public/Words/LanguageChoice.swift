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
    for item in WeightedValue.list(header, limit: Self.mostEntries) {
      guard let language = PublicLanguage(tag: item.value) else { continue }
      let weight = item.weight
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
}
