// SPDX-License-Identifier: MIT

/// The secrets of a check in every form they may come back in, ready to be looked for in what a target said.
package struct SecretWords: Sendable {
  /// `nil` where there are more than can be looked for, and nothing of a text is shown.
  private let finder: WordFinder?

  package init(_ secrets: some Sequence<String>) {
    self.init(forms: secrets.flatMap { $0.isEmpty ? [] : secretEchoes(of: $0) })
  }

  package init(forms: [[UInt8]]) {
    // Generous: most forms share their beginnings.
    let total = forms.reduce(0) { $0 + $1.count }
    finder = total > 4 * WordFinder.largest ? nil : WordFinder(forms)
  }

  package var isEmpty: Bool { finder?.isEmpty ?? false }

  package func hide(_ text: String) -> String {
    guard let hidden = hide(Array(text.utf8)) else { return text }
    return String(decoding: hidden, as: UTF8.self)
  }

  /// With a mark in the place of every run of bytes that is part of a secret. `nil` where there is none.
  package func hide(_ text: [UInt8]) -> [UInt8]? {
    guard !text.isEmpty else { return nil }
    let mark = Array(Redacted.mark.utf8)
    guard let finder else { return mark }
    guard !finder.isEmpty else { return nil }
    var runs = finder.runs(in: text) ?? []
    if let escaped = EscapedText(text) { runs += escaped.runs(of: finder) }
    guard !runs.isEmpty else { return nil }
    runs.sort { $0.lowerBound < $1.lowerBound }
    var shown: [UInt8] = []
    var end = 0
    for (index, run) in runs.enumerated() {
      // What touches the run before is one with it.
      if index == 0 || run.lowerBound > end {
        shown += text[end..<run.lowerBound]
        shown += mark
      }
      end = max(end, run.upperBound)
    }
    shown += text[end...]
    return shown
  }
}
