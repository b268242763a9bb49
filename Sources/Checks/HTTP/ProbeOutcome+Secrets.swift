// SPDX-License-Identifier: MIT

import Monitoring

extension ProbeOutcome {
  /// The same without a secret that was learned on the way and that an answer may repeat.
  func hiding(_ secret: String?) -> ProbeOutcome {
    guard let secret, !secret.isEmpty else { return self }
    var copy = self
    copy.excerpt = excerpt?.hiding(secret)
    copy.assertions = assertions.map { assertion in
      var copy = assertion
      copy.actual = assertion.actual.hiding(secret)
      return copy
    }
    if let message = verdict.message {
      copy.verdict = Verdict(
        verdict.reason, phase: verdict.phase, message: message.hiding(secret), degraded: verdict.degraded,
        isUnknown: verdict.isUnknown)
    }
    return copy
  }
}

extension String {
  /// The text may have been cut inside the secret: a beginning of it at the end goes as well.
  fileprivate func hiding(_ secret: String) -> String {
    let text = replacing(secret, with: Redacted.mark)
    for length in stride(from: min(secret.utf8.count - 1, text.utf8.count), to: 7, by: -1) {
      let start = String(decoding: secret.utf8.prefix(length), as: UTF8.self)
      let end = text.hasSuffix("…") ? String(text.dropLast()) : text
      if end.hasSuffix(start) { return String(end.dropLast(start.count)) + Redacted.mark }
    }
    return text
  }
}
