// SPDX-License-Identifier: MIT

import Basics

/// How the values of one type stand in agent.yaml: what they may look like, how one is read, how it is printed.
package struct Codec<Value: Sendable>: Sendable {
  package var kind: ValueKind
  /// `nil` for an unusable value, which is reported already.
  package var read: @Sendable (Given, KeyPlace, inout KeyReader) -> Value?
  /// One value as one writes it.
  package var text: @Sendable (Value) -> String
  /// In quotes when it is printed: not a word of ours.
  package var isQuoted: Bool
  package var print: @Sendable (Value, String, inout KeyPrinter) -> Void

  /// A single value.
  package init(
    _ kind: ValueKind, isQuoted: Bool = false, text: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (Given, KeyPlace, inout KeyReader) -> Value?
  ) {
    self.kind = kind
    self.read = read
    self.text = text
    self.isQuoted = isQuoted
    print = { value, name, printer in
      if isQuoted { printer.text(name, text(value)) } else { printer.word(name, text(value)) }
    }
  }

  package func printed(_ print: @escaping @Sendable (Value, String, inout KeyPrinter) -> Void) -> Codec {
    var codec = self
    codec.print = print
    return codec
  }
}

extension Codec<String> {
  package static var text: Codec { text { _, _, _ in } }

  /// A text that goes through a rule of its own, which may complain and does not change it.
  package static func text(_ judge: @escaping @Sendable (String, KeyPlace, inout KeyReader) -> Void) -> Codec
  {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      judge(text, place, &reader)
      return text
    }
  }

  package static func word(among words: [String]) -> Codec {
    Codec(.choice(words), isQuoted: true, text: \.self) { typed, _, _ in typed.text }
  }
}

extension Codec<Bool> {
  package static var flag: Codec {
    Codec(.flag, text: \.description) { typed, _, _ in typed.flag }
  }
}

extension Codec<Int> {
  package static func integer(_ range: ClosedRange<Int>) -> Codec {
    Codec(.integer(range), text: \.description) { typed, _, _ in typed.integer }
  }

  /// Bytes.
  package static func size(_ range: ClosedRange<Int>) -> Codec {
    Codec(.size(range), text: { ByteSize.text($0) }) { typed, _, _ in typed.integer }
  }
}

extension Codec<Int?> {
  /// `nil` for `auto`.
  package static func automatic(_ range: ClosedRange<Int>) -> Codec {
    Codec(.automatic(range), text: { $0.map(String.init) ?? "auto" }) { typed, _, _ in
      typed.text == "auto" ? .some(nil) : typed.integer.map(Optional.some)
    }
  }
}

extension Codec<UInt16> {
  package static var port: Codec {
    Codec(.integer(CheckLimits.port), text: \.description) { typed, _, _ in
      typed.integer.flatMap(UInt16.init(exactly:))
    }
  }
}

extension Codec<Duration> {
  package static func duration(_ range: ClosedRange<Duration>) -> Codec {
    Codec(.duration(range), text: \.text) { typed, _, _ in typed.duration }
  }
}

extension Codec where Value: RawRepresentable<String> & CaseIterable {
  package static var choice: Codec {
    Codec(.choice(Value.allCases.map(\.rawValue)), text: \.rawValue) { typed, _, _ in
      typed.text.flatMap { Value(word: $0) }
    }
  }
}

extension Codec<Redacted> {
  package static var secret: Codec { secret { _, _, _ in true } }

  /// - Parameter judge: says what is wrong; false: it is unusable.
  package static func secret(_ judge: @escaping @Sendable (String, KeyPlace, inout KeyReader) -> Bool)
    -> Codec
  {
    Codec(.secret, text: { _ in Redacted.mark }) { typed, place, reader in
      guard let text = typed.text, judge(text, place, &reader) else { return nil }
      return Redacted(text)
    }.printed { value, name, printer in printer.secret(name, value) }
  }
}

extension Codec {
  /// An error in one item leaves it out and keeps the others.
  package static func list<Item: Sendable>(_ item: Codec<Item>) -> Codec where Value == [Item] {
    list(item, texts: { [item.text($0)] })
  }

  /// - Parameter texts: the entries that one item is written as.
  package static func list<Item: Sendable>(
    _ item: Codec<Item>, texts: @escaping @Sendable (Item) -> [String]
  ) -> Codec where Value == [Item] {
    let text: @Sendable ([Item]) -> String = { "[\($0.flatMap(texts).joined(separator: ", "))]" }
    let codec = Codec(.list(item.kind), text: text) { typed, place, reader in
      guard case .list(let list) = typed.value else { return nil }
      var items: [Item] = []
      for (index, typed) in list.enumerated() {
        let below = place.below(String(index), typed.position)
        if let value = item.read(typed, below, &reader) { items.append(value) }
      }
      return items
    }
    guard item.isQuoted else { return codec }
    return codec.printed { items, name, printer in printer.texts(name, items.flatMap(texts)) }
  }
}

extension Given {
  /// The value for a message, unless it is secret. A URL may have been pasted with its login or a token.
  package func found(_ text: String) -> String { isSecret ? Redacted.mark : quoted(text.withoutURLSecrets) }
}

/// A name or value of the user's for a message: one line, at most 80 bytes, without the login of a URL.
package func quoted(_ text: some StringProtocol) -> String { "\"\(String(text).shown(maxBytes: 80))\"" }
