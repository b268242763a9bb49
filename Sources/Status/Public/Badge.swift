// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A small picture for other people's pages: what, and how it is.
package struct Badge {
  enum Kind: Hashable {
    case state, latency
    case uptime(UptimePeriod)

    /// Of the last part of an address; `nil` when there is none of that name.
    init?(file: String) {
      switch file {
      case "state.svg": self = .state
      case "latency.svg": self = .latency
      default:
        let period = UptimePeriod.allCases.first { file == "uptime-\($0.rawValue).svg" }
        guard let period else { return nil }
        self = .uptime(period)
      }
    }

    func label(_ words: any PublicWords) -> String {
      switch self {
      case .state: words.status
      case .latency: words.latency
      case .uptime(let period): words.uptime(period)
      }
    }
  }

  /// White on it has a contrast of 4.5 at least (WCAG 2.2, 1.4.3).
  enum Tone: String {
    case up = "#15803d"
    case degraded = "#b45309"
    case down = "#b91c1c"
    case unknown = "#4b5563"

    /// As the style calls it.
    var name: String {
      switch self {
      case .up: "up"
      case .degraded: "degraded"
      case .down: "down"
      case .unknown: "unknown"
      }
    }
  }

  var label: String
  var value: String
  var tone: Tone

  /// The address names a badge of a shown check.
  package private(set) var isFound = true

  init(label: String, value: String, tone: Tone) {
    (self.label, self.value, self.tone) = (label, value, tone)
  }

  init(_ kind: Kind, of check: PublicCheck, _ words: any PublicWords) {
    switch kind {
    case .state:
      // The name says whose state it is; a badge stands alone.
      self.init(label: Sentence.plain(check.name), value: check.word(words), tone: Tone(check.state))
    case .latency:
      let latency = check.median.map { StatusFormat.latency($0).replacing(".", with: words.point) }
      self.init(
        label: kind.label(words), value: latency ?? words.noData, tone: latency == nil ? .unknown : .up)
    case .uptime(let period):
      let window = check.window(period)
      let thin = window?.thin.map { " (\(words.ofData(words.length($0))))" } ?? ""
      self.init(
        label: kind.label(words), value: words.percent(window?.uptime) + thin,
        tone: Tone(uptime: thin.isEmpty ? window?.uptime : nil))
    }
  }

  /// Of an address below `/badge`: `state.svg` of all checks together, or such as `ID/state.svg` of one. `nil` for any
  /// other address.
  package init?(_ segments: [String], of picture: PublicPicture, _ language: PublicLanguage) {
    let words = language.words
    if segments == ["state.svg"] {
      self.init(PublicHeadline(picture, words), title: picture.face.title, words)
      return
    }
    guard segments.count == 2 else { return nil }
    guard let kind = Kind(file: segments[1]) else {
      self.init(label: words.status, value: words.noSuchBadge, tone: .unknown)
      isFound = false
      return
    }
    guard let id = UniqueID(segments[0]), let check = picture.checks.first(where: { $0.id == id }) else {
      self.init(label: kind.label(words), value: words.notFound, tone: .unknown)
      isFound = false
      return
    }
    self.init(kind, of: check, words)
  }

  /// Of all checks together.
  init(_ headline: PublicHeadline, title: String, _ words: any PublicWords) {
    self.init(
      label: Sentence.plain(title), value: headline.sentence.short(words), tone: headline.tone)
  }

  private static let height = 20
  /// Bytes of a value: names in it are cut before.
  private static let longest = 1000
  private static let padding = 6

  /// The font is not known here: each character has a width, and the drawing makes the text as wide as that.
  private static func width(_ text: String) -> Int {
    let tenths = text.unicodeScalars.reduce(0) { sum, scalar in
      switch scalar {
      case "i", "l", "j", ".", ",", ":", ";", "'", "|", "!", "I", " ": sum + 35
      // Joiners and the marks that follow a letter take no room.
      case "\u{200c}", "\u{200d}": sum
      case "m", "w", "M", "W", "%", "@": sum + 100
      case "A"..."Z": sum + 78
      default: sum + (scalar.isASCII ? 66 : 110)
      }
    }
    return max(8, tenths / 10)
  }

  package func render() -> [UInt8] {
    let plain = (Sentence.plain(self.label, most: 80), Sentence.plain(self.value, most: Self.longest))
    let (left, right) = (Self.width(plain.0), Self.width(plain.1))
    let (label, value) = (Markup(name: plain.0), Markup(name: plain.1))
    let middle = left + 2 * Self.padding
    let whole = middle + right + 2 * Self.padding
    let svg: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(whole)" height="\(Self.height)" role="img" aria-label="\(label): \(value)">\
      <title>\(label): \(value)</title>\
      <clipPath id="r"><rect width="\(whole)" height="\(Self.height)" rx="4"/></clipPath><g clip-path="url(#r)">\
      <rect width="\(middle)" height="\(Self.height)" fill="#374151"/>\
      <rect x="\(middle)" width="\(whole - middle)" height="\(Self.height)" fill="\(tone.rawValue)"/></g>\
      <g fill="#ffffff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">\
      <text x="\(Self.padding)" y="14" textLength="\(left)">\(label)</text>\
      <text x="\(middle + Self.padding)" y="14" textLength="\(right)">\(value)</text></g></svg>
      """
    return Array(svg.html.utf8)
  }
}

extension Badge.Tone {
  init(_ state: PublicCheck.State) {
    switch state {
    case .up: self = .up
    case .degraded: self = .degraded
    case .down: self = .down
    case .unknown, .maintenance: self = .unknown
    }
  }

  /// Percent; nil: too little data to call it anything.
  init(uptime: Double?) {
    guard let uptime else {
      self = .unknown
      return
    }
    self = uptime >= 99 ? .up : uptime >= 95 ? .degraded : .down
  }
}
