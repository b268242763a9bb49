// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One sentence, and the way back.
package struct NoticePage {
  let snapshot: StatusSnapshot
  let what: String
  let hint: String?

  package init(snapshot: StatusSnapshot, what: String, hint: String?) {
    (self.snapshot, self.what, self.hint) = (snapshot, what, hint)
  }

  package func render(nonce: String) -> Markup {
    let hint: Markup = hint.map { "<p>\($0)</p>" } ?? ""
    return Layout.page(
      title: what, snapshot: snapshot, nonce: nonce, live: .none,
      """
      <section class="card empty"><h1>\(what)</h1>\(hint)
      <p><a class="button" href="/">All checks</a></p></section>
      """)
  }
}
