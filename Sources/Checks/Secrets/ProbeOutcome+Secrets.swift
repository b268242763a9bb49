// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension ProbeOutcome {
  /// The same without secrets that were learned on the way and that an answer may repeat.
  func hiding(_ secrets: [String]) -> ProbeOutcome {
    let words = SecretWords(secrets)
    guard !words.isEmpty else { return self }
    var copy = self
    copy.excerpt = self.excerpt.map { words.hide($0).hidingBeginnings(of: secrets) }
    for index in copy.hops.indices { copy.hops[index].url = words.hide(copy.hops[index].url) }
    copy.assertions = self.assertions.map { assertion in
      var copy = assertion
      copy.actual = words.hide(assertion.actual).hidingBeginnings(of: secrets)
      return copy
    }
    copy.verdict = verdict.hiding(words)
    guard var account = self.account else { return copy }
    account.locations = account.locations.map { $0.map { words.hide($0).hidingBeginnings(of: secrets) } }
    account.headers = account.headers.map {
      AnswerHeader(name: $0.name, value: words.hide($0.value).hidingBeginnings(of: secrets))
    }
    copy.account = account
    return copy
  }
}

extension String {
  /// The text may have been cut inside a secret: a beginning of it at the end goes as well.
  fileprivate func hidingBeginnings(of secrets: [String]) -> String {
    let end = Array(utf8.dropLast(hasSuffix("…") ? "…".utf8.count : 0))
    let cut = secrets.map { overlap(endOf: end, withStartOf: Array($0.utf8)) }.max() ?? 0
    return cut < 8 ? self : String(decoding: end.dropLast(cut), as: UTF8.self) + Redacted.mark
  }
}

extension Verdict {
  /// The same, its message without these.
  func hiding(_ secrets: SecretWords) -> Verdict {
    guard let message else { return self }
    return with(message: secrets.hide(message))
  }
}
