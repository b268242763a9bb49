// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How the values of one type stand in agent.yaml: what they may look like, how one is read, how it is printed.
struct Codec<Value: Sendable>: Sendable {
  var kind: ValueKind
  /// Nil: unusable; why was said.
  var read: @Sendable (Typed, Walk.Place, inout Walk) -> Value?
  /// One value as one writes it.
  var text: @Sendable (Value) -> String
  /// In quotes when it is printed: not a word of ours.
  var isQuoted: Bool
  var print: @Sendable (Value, String, inout ConfigPrinter) -> Void

  /// A single value.
  init(
    _ kind: ValueKind, isQuoted: Bool = false, text: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (Typed, Walk.Place, inout Walk) -> Value?
  ) {
    self.kind = kind
    self.read = read
    self.text = text
    self.isQuoted = isQuoted
    print = { value, name, printer in
      if isQuoted { printer.text(name, text(value)) } else { printer.word(name, text(value)) }
    }
  }

  func printed(_ print: @escaping @Sendable (Value, String, inout ConfigPrinter) -> Void) -> Codec {
    var codec = self
    codec.print = print
    return codec
  }
}

extension Codec<String> {
  static var text: Codec { text { _, _, _ in } }

  /// A text that goes through a rule of its own, which may complain and does not change it.
  static func text(_ judge: @escaping @Sendable (String, Walk.Place, inout Walk) -> Void) -> Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, walk in
      guard case .text(let text) = typed.value else { return nil }
      judge(text, place, &walk)
      return text
    }
  }

  static func word(among words: [String]) -> Codec {
    Codec(.choice(words), isQuoted: true, text: \.self) { typed, _, _ in typed.text }
  }
}

extension Codec<Bool> {
  static var flag: Codec {
    Codec(.flag, text: \.description) { typed, _, _ in
      guard case .flag(let flag) = typed.value else { return nil }
      return flag
    }
  }
}

extension Codec<Int> {
  static func integer(_ range: ClosedRange<Int>) -> Codec {
    Codec(.integer(range), text: \.description) { typed, _, _ in typed.integer }
  }

  /// Bytes.
  static func size(_ range: ClosedRange<Int>) -> Codec {
    Codec(.size(range), text: { ByteSize.text($0) }) { typed, _, _ in typed.integer }
  }
}

extension Codec<Int?> {
  /// Nil: `auto`.
  static func automatic(_ range: ClosedRange<Int>) -> Codec {
    Codec(.automatic(range), text: { $0.map(String.init) ?? "auto" }) { typed, _, _ in
      typed.text == "auto" ? .some(nil) : typed.integer.map(Optional.some)
    }
  }
}

extension Codec<UInt16> {
  static var port: Codec {
    Codec(.integer(CheckLimits.port), text: \.description) { typed, _, _ in
      typed.integer.flatMap(UInt16.init(exactly:))
    }
  }
}

extension Codec<Duration> {
  static func duration(_ range: ClosedRange<Duration>) -> Codec {
    Codec(.duration(range), text: \.text) { typed, _, _ in
      guard case .duration(let duration) = typed.value else { return nil }
      return duration
    }
  }
}

extension Codec where Value: RawRepresentable<String> & CaseIterable {
  static var choice: Codec {
    Codec(.choice(Value.allCases.map(\.rawValue)), text: \.rawValue) { typed, _, _ in
      typed.text.flatMap { Value(word: $0) }
    }
  }
}

extension Codec<Redacted> {
  static var secret: Codec { secret { _, _, _ in true } }

  /// - Parameter judge: says what is wrong; false: it is unusable.
  static func secret(_ judge: @escaping @Sendable (String, Walk.Place, inout Walk) -> Bool) -> Codec {
    Codec(.secret, text: { _ in Redacted.mark }) { typed, place, walk in
      guard let text = typed.text, judge(text, place, &walk) else { return nil }
      return Redacted(text)
    }.printed { value, name, printer in printer.secret(name, value) }
  }
}

extension Codec {
  /// What is wrong with one item leaves it out and keeps the others.
  static func list<Item: Sendable>(_ item: Codec<Item>) -> Codec where Value == [Item] {
    list(item, texts: { [item.text($0)] })
  }

  /// - Parameter texts: the entries that one item is written as.
  static func list<Item: Sendable>(
    _ item: Codec<Item>, texts: @escaping @Sendable (Item) -> [String]
  ) -> Codec where Value == [Item] {
    let text: @Sendable ([Item]) -> String = { "[\($0.flatMap(texts).joined(separator: ", "))]" }
    let codec = Codec(.list(item.kind), text: text) { typed, place, walk in
      guard case .list(let list) = typed.value else { return nil }
      var items: [Item] = []
      for (index, typed) in list.enumerated() {
        let below = place.below(String(index), typed.position)
        if let value = item.read(typed, below, &walk) { items.append(value) }
      }
      return items
    }
    guard item.isQuoted else { return codec }
    return codec.printed { items, name, printer in printer.texts(name, items.flatMap(texts)) }
  }
}

extension Typed {
  var text: String? {
    guard case .text(let text) = value else { return nil }
    return text
  }

  var integer: Int? {
    guard case .integer(let integer) = value else { return nil }
    return integer
  }

  /// The value for a message, unless it is secret.
  func found(_ text: String) -> String { isSecret ? Redacted.mark : quoted(text) }
}
