// SPDX-License-Identifier: MIT

import Monitoring

extension ProbeOutcome {
  /// The same without secrets that were learned on the way and that an answer may repeat.
  func hiding(_ secrets: [String]) -> ProbeOutcome {
    let forms = secretForms(of: secrets)
    guard !forms.isEmpty else { return self }
    var copy = self
    copy.excerpt = excerpt?.hiding(forms).hidingBeginnings(of: secrets)
    for index in hops.indices { copy.hops[index].url = hops[index].url.hiding(forms) }
    copy.assertions = assertions.map { assertion in
      var copy = assertion
      copy.actual = assertion.actual.hiding(forms).hidingBeginnings(of: secrets)
      return copy
    }
    copy.verdict = verdict.hiding(forms)
    return copy
  }
}

extension String {
  /// The text may have been cut inside a secret: a beginning of it at the end goes as well.
  fileprivate func hidingBeginnings(of secrets: [String]) -> String {
    let end = hasSuffix("…") ? String(dropLast()) : self
    for secret in secrets {
      for length in stride(from: min(secret.utf8.count - 1, utf8.count), to: 7, by: -1) {
        let start = String(decoding: secret.utf8.prefix(length), as: UTF8.self)
        if end.hasSuffix(start) { return String(end.dropLast(start.count)) + Redacted.mark }
      }
    }
    return self
  }
}
