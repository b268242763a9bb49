// SPDX-License-Identifier: MIT

import Basics

// Values that only checks have. None complains: the judge of a check says what is wrong with it, whatever its origin.
extension Codec<String> {
  /// - Parameter isQuoted: a reader of YAML might take one of the words for a number.
  static func word<Word: RawRepresentable<String> & CaseIterable>(
    _: Word.Type, isQuoted: Bool = false
  ) -> Codec {
    Codec(.choice(Word.allCases.map(\.rawValue)), isQuoted: isQuoted, text: \.self) { typed, _, _ in
      typed.text
    }
  }

  /// The path of a file, absolute or as seen from the working directory afterwards.
  static var file: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, _, reader in
      typed.text.map { $0.isEmpty ? $0 : reader.path($0) }
    }
  }

  static var url: Codec {
    text.printed { text, name, printer in
      guard let url = try? HTTPURL(text) else { return printer.text(name, text) }
      printer.url(name, url)
    }
  }
}

extension Codec<Redacted> {
  static var hidden: Codec {
    var codec = secret
    codec.kind = .hidden
    return codec
  }

  /// A URL whose path is a secret: what is printed of it says where it leads.
  static var secretURL: Codec {
    secret.printed { value, name, printer in
      guard let url = try? HTTPURL(value.reveal()) else { return printer.secret(name, value) }
      printer.shown(name, "\(url.scheme.rawValue)://\(url.endpoint)/\(percentEncoded(Redacted.mark))")
    }
  }

  /// Prints only that there is a login.
  static var shownProxy: Codec {
    hidden.printed { proxy, name, printer in printer.shown(name, proxy.reveal()) }
  }
}

extension Codec<Double> {
  static var percent: Codec {
    Codec(.percent, text: { "\($0)%" }) { typed, _, _ in typed.number }
  }
}

extension Codec<[String]> {
  /// An invalid item is an empty text, so that the others keep their indices.
  static var texts: Codec { texts(.list(.text)) }
  static var oneOrMoreTexts: Codec { texts(.oneOrMore(.text)) }

  private static func texts(_ kind: ValueKind) -> Codec {
    Codec(kind, text: { $0.isEmpty ? "" : "[\($0.joined(separator: ", "))]" }) { typed, _, _ in
      typed.texts
    }.printed { texts, name, printer in if !texts.isEmpty { printer.texts(name, texts) } }
  }

  /// To the judge, `any` is the empty list. One that is empty in the file was refused.
  static var statuses: Codec {
    let list = oneOrMoreTexts
    var codec = list
    codec.read = { typed, place, reader in
      let texts = list.read(typed, place, &reader)
      return texts == ["any"] ? [] : (texts?.isEmpty == true ? nil : texts)
    }
    return codec.printed { texts, name, printer in
      if texts.isEmpty { printer.word(name, "any") } else { printer.texts(name, texts) }
    }
  }
}

extension Codec {
  /// A map with names of the writer's own.
  private static func free<Item>(
    _ kind: ValueKind, read: @escaping @Sendable (String, Given) -> Item?,
    print: @escaping @Sendable (Item, inout KeyPrinter) -> Void
  ) -> Codec where Value == [Item] {
    Codec(kind, text: { _ in "" }) { typed, _, _ in
      guard case .map(let map) = typed.value else { return nil }
      return map.entries.compactMap { read($0.name, $0.value) }
    }.printed { items, name, printer in
      printer.mapIfAny(name) { printer in for item in items { print(item, &printer) } }
    }
  }
}

extension Codec<[(name: String, value: Redacted)]> {
  static var headers: Codec {
    free(.headers, read: { ($0, Redacted($1.text ?? "")) }, print: { $1.secret($0.name, $0.value) })
  }
}

extension Codec<[(name: String, condition: String)]> {
  static var conditions: Codec {
    free(
      .conditions, read: { name, typed in typed.text.map { (name, $0) } },
      print: { $1.text($0.name, $0.condition) })
  }
}

extension Codec<[(path: String, condition: ConditionText)]> {
  /// Quotes say that it is a text.
  static var typedConditions: Codec {
    free(
      .typedConditions,
      read: { name, typed in typed.text.map { (name, ConditionText($0, isPlain: typed.isPlain)) } },
      print: { item, printer in
        if item.condition.isPlain {
          printer.word(item.path, item.condition.text)
        } else {
          printer.text(item.path, item.condition.text)
        }
      })
  }
}
