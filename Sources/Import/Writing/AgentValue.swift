// SPDX-License-Identifier: MIT

import Basics

/// A value on its way into agent.yaml.
package indirect enum AgentValue: Sendable {
  /// Any text; quoted where it has to be, and never taken for a reference.
  case text(String)
  /// Ours: a number, a duration, a word.
  case plain(String)
  /// A secret; written as a reference, and called by these words.
  case secret(Redacted, as: String)
  /// Texts and references, one behind the other: `${env:NAME}` or `${file:path}` of the source.
  case reference(String)
  /// Texts, references and secrets, one behind the other.
  case joined([AgentValue])
  case list([AgentValue])
  case map([(name: String, value: AgentValue)])

  /// A text, or a word of ours.
  package var word: String? {
    switch self {
    case .text(let text), .plain(let text): text
    default: nil
    }
  }

  /// A long secret, in as many files as it takes: a file behind a reference has at most 4 KiB, and line ends at its end
  /// do not count.
  static func secretText(_ text: String, as words: String) -> AgentValue {
    var rest = Array(text.unicodeScalars)[...]
    var parts: [AgentValue] = []
    while !rest.isEmpty {
      let isEnd: (Unicode.Scalar) -> Bool = { $0 == "\n" || $0 == "\r" }
      let ends = rest.prefix(while: isEnd)
      rest = rest.dropFirst(ends.count)
      if !ends.isEmpty { parts.append(.text(String(String.UnicodeScalarView(ends)))) }
      // Four bytes at most for each.
      var piece = rest.prefix(1000)
      while let last = piece.last, isEnd(last) { piece = piece.dropLast() }
      rest = rest.dropFirst(piece.count)
      if !piece.isEmpty {
        parts.append(.secret(Redacted(String(String.UnicodeScalarView(piece))), as: words))
      }
    }
    return parts.count == 1 ? parts[0] : .joined(parts)
  }

  static let oddFile = "the name of a file with $, { or } cannot be written"

  /// The content of a file; `nil` where its name would be more than a name in a reference.
  static func file(_ path: String) -> AgentValue? {
    path.contains { "${}\r\n".contains($0) } ? nil : .reference("${file:\(path)}")
  }

  static func number(_ number: Int) -> AgentValue { .plain(String(number)) }
  static func flag(_ flag: Bool) -> AgentValue { .plain(flag ? "true" : "false") }
  static func duration(_ milliseconds: Int) -> AgentValue { .plain(ForeignDuration.text(milliseconds)) }
}

/// The question to blackbox_exporter for a check.
package struct OldQuestion: Hashable, Sendable {
  package var module: String
  package var target: String
}

/// One check of the new file, or another entry of one of its lists.
package struct ImportedCheck: Sendable {
  package var name: String
  package var keys: [(name: String, value: AgentValue)] = []
  /// Values of its source that could not be carried over.
  package var notes: [ImportNote] = []
  /// How the old monitor is asked for its verdict; nil: it cannot be.
  package var question: OldQuestion?
  /// The ledger's number of a check; 0: it has none.
  package var key = 0
  /// Values that were carried into it.
  package var carried = 0
  /// Its login was in the URL.
  var hasLoginOfURL = false
  /// The authority of a certificate that is not verified.
  var unusedAuthority: AgentValue?
  /// Keys of the checks that it depends on.
  package var parents: [Int] = []
  /// Keys of the checks that a rule, a window or a page is for; `nil` when it does not choose.
  package var selected: [Int]?

  /// An entry without a type.
  init(named name: String) { self.name = name }

  package init(name: String, type: String) {
    self.name = name
    self["type"] = .plain(type)
  }

  /// A key by its path, such as `expect.body.contains`. Setting replaces; nil does nothing.
  package subscript(path: String) -> AgentValue? {
    get { Self.find(keys, path.split(separator: ".").map(String.init)) }
    set {
      guard let newValue else { return }
      change(path) { $0 = newValue }
    }
  }

  private mutating func change(_ path: String, _ body: (inout AgentValue?) -> Void) {
    Self.change(&keys, path.split(separator: ".").map(String.init)[...], body)
  }

  /// Removes a key that is not inside another.
  package mutating func remove(_ name: String) { keys.removeAll { $0.name == name } }

  /// Notes that the check is not what it was.
  mutating func note(_ change: ImportNote.Change, _ place: String, _ why: String) {
    let note = ImportNote(place: place, why: why, change: change)
    if !notes.contains(note) { notes.append(note) }
  }

  /// A page about the check is its runbook, unless it has macros of its source or credentials.
  ///
  /// - Returns: false where it cannot be one.
  mutating func takeRunbook(_ page: String) -> Bool {
    guard !page.utf8.contains(UInt8(ascii: "$")), !ForeignURL(page).hasCredentials,
      (try? HTTPURL(page)) != nil
    else { return false }
    self["runbook"] = .text(page)
    return true
  }

  /// One more item of a list.
  mutating func append(_ path: String, _ value: AgentValue) {
    change(path) { known in
      var items: [AgentValue] = []
      if case .list(let list)? = known { items = list }
      // The only reference, so that it grows in place.
      known = nil
      items.append(value)
      known = .list(items)
    }
  }

  /// One more entry of a map whose names are not ours, such as headers.
  mutating func entry(_ path: String, _ name: String, _ value: AgentValue) {
    change(path) { known in
      var entries: [(name: String, value: AgentValue)] = []
      if case .map(let map)? = known { entries = map }
      known = nil
      entries.append((name, value))
      known = .map(entries)
    }
  }

  private static func find(_ keys: [(name: String, value: AgentValue)], _ path: [String]) -> AgentValue? {
    guard let first = path.first, let found = keys.first(where: { $0.name == first })?.value else {
      return nil
    }
    guard path.count > 1 else { return found }
    guard case .map(let inner) = found else { return nil }
    return find(inner, Array(path.dropFirst()))
  }

  private static func change(
    _ keys: inout [(name: String, value: AgentValue)], _ path: ArraySlice<String>,
    _ body: (inout AgentValue?) -> Void
  ) {
    guard let first = path.first else { return }
    let index = keys.firstIndex { $0.name == first }
    var value: AgentValue?
    if let index {
      value = keys[index].value
      keys[index].value = .plain("")
    }
    if path.count > 1 {
      var inner: [(name: String, value: AgentValue)] = []
      if case .map(let known)? = value { inner = known }
      value = nil
      change(&inner, path.dropFirst(), body)
      value = .map(inner)
    } else {
      body(&value)
    }
    guard let value else { return }
    if let index { keys[index].value = value } else { keys.append((first, value)) }
  }
}

extension AgentValue {
  /// A limit for a loss of 1 to 100 percent that counts from this value on: a loss counts here above the limit.
  ///
  /// Of up to 100 packets no share lies between the two. The loss of all packets is down by itself.
  static func lossFrom(_ percent: Int) -> AgentValue {
    percent < 100 ? .plain("\(percent - 1).99%") : .plain("100%")  // bounded: 1 to 99
  }
}
