// SPDX-License-Identifier: MIT

import Basics

/// One step of what was said on a connection, in order: of STARTTLS, of a preset, or of the check's own dialog.
package struct DialogStepFacts: Hashable, Sendable {
  /// Name of the step, such as `expect "220"` or `EHLO`; never the data that was sent.
  package var what: String
  /// From the end of the step before, or from when the connection stood, to the end of this one.
  package var elapsed: Duration
  package var ok: Bool
  /// Of the step that failed: the beginning of what came instead, at most 256 bytes, printable, without anything that
  /// was sent before.
  package var seen: String?

  package init(what: String, elapsed: Duration, ok: Bool, seen: String? = nil) {
    self.what = what.printable(maxBytes: 128)
    self.elapsed = elapsed
    self.ok = ok
    self.seen = seen?.printable(maxBytes: 256)
  }
}

extension DialogStepFacts {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("what", what)
      json.field("elapsed_ms", elapsed)
      json.field("ok", ok)
      json.fieldIfPresent("seen", seen)
    }
  }
}
