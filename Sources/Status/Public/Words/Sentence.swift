// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A text of the public page: our words, with names and times in it that are marked as such, so that the page, a feed and a
/// badge can each show them in their own way.
struct Sentence: ExpressibleByStringInterpolation, Sendable {
  enum Part: Sendable {
    case words(String)
    case name(String)
    case time(Moment)
  }

  /// An instant, shown without its day where that is the day of another one.
  struct Moment: Sendable {
    var instant: Timestamp
    /// The present, or the beginning of what ends at this instant.
    var reference: Timestamp
    /// The reference is not the present.
    var isEnd = false
    /// With a note that the time is the reader's own, where a script makes it so.
    var isOwn = false
  }

  private(set) var parts: [Part]

  init(_ parts: [Part]) { self.parts = parts }
  init(words: String) { parts = [.words(words)] }
  init(name: String) { parts = [.name(name)] }
  init(stringLiteral value: String) { parts = [.words(value)] }
  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  init(at instant: Timestamp, now: Timestamp, isOwn: Bool = false) {
    parts = [.time(Moment(instant: instant, reference: now, isOwn: isOwn))]
  }

  /// The end of a time that begins at `begin`.
  init(at instant: Timestamp, after begin: Timestamp) {
    parts = [.time(Moment(instant: instant, reference: begin, isEnd: true))]
  }

  /// The first name in it, or nothing.
  var firstName: String {
    for case .name(let name) in parts { return name }
    return ""
  }

  static func joined(_ sentences: some Sequence<Sentence>, by separator: String) -> Sentence {
    var parts: [Part] = []
    for sentence in sentences {
      if !parts.isEmpty { parts.append(.words(separator)) }
      parts += sentence.parts
    }
    return Sentence(parts)
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(interpolationCount * 2 + 1) }

    mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.words(literal)) }
    }

    mutating func appendInterpolation(_ sentence: Sentence) { parts += sentence.parts }
    mutating func appendInterpolation(_ words: String) { parts.append(.words(words)) }
    mutating func appendInterpolation(_ number: Int) { parts.append(.words(String(number))) }
  }
}

extension Sentence {
  /// For elements of the page: a name keeps its direction, a time is the reader's own with a script.
  func markup(_ words: any PublicWords) -> Markup {
    Markup(
      parts.map { part -> Markup in
        switch part {
        case .words(let text): "\(text)" as Markup
        case .name(let name): Layout.name(name)
        case .time(let moment): Self.time(moment, words)
        }
      })
  }

  private static func time(_ moment: Moment, _ words: any PublicWords) -> Markup {
    let end: Markup = moment.isEnd ? " data-from=\"\(moment.reference.rfc3339)\"" : ""
    let own: Markup = moment.isOwn ? " data-own" : ""
    return
      "<time datetime=\"\(moment.instant.rfc3339)\"\(end)\(own)>\(words.moment(moment))</time>"
  }

  /// For a title, a feed, a picture: text alone, with times in UTC.
  ///
  /// - Parameter most: bytes of a name.
  func text(_ words: any PublicWords, names most: Int = 120) -> String {
    parts.map { part -> String in
      switch part {
      case .words(let text): text
      case .name(let name): Self.plain(name, most: most)
      case .time(let moment): words.moment(moment)
      }
    }.joined()
  }

  /// For a picture: names are cut, the words that say the state never.
  func short(_ words: any PublicWords) -> String {
    let lengths = [120, 60, 40, 30].lazy.map { self.text(words, names: $0) }
    return lengths.first { $0.utf8.count <= 120 } ?? text(words, names: 24)
  }

  /// A name for one line: soft hyphens have no use there, joiners do, and what else is invisible is shown.
  ///
  /// - Parameter most: bytes.
  static func plain(_ name: String, most: Int = 120) -> String {
    var (text, run) = ("", String.UnicodeScalarView())
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\u{ad}": break
      case "\u{200c}", "\u{200d}":
        text += String(run).printable(maxBytes: .max)
        text.unicodeScalars.append(scalar)
        run = String.UnicodeScalarView()
      default: run.append(scalar)
      }
    }
    return cutName(text + String(run).printable(maxBytes: .max), most)
  }

  /// At most as long as a name in one line is.
  private static func cutName(_ name: String, _ most: Int) -> String {
    guard name.utf8.count > most else { return name }
    var kept = ""
    for character in name {
      if kept.utf8.count + character.utf8.count > most - 3 { break }
      kept.append(character)
    }
    return kept + "…"
  }
}
