// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The page's button that runs a check now: a form without a script and without a body.
///
/// The browser asks the person for the token (HTTP Basic) and keeps it to itself; no page holds it. Because a browser
/// then sends it along whatever page made it ask, the form's address carries a proof that it came from a page of ours:
/// a random number that only who can read our pages knows, and no other origin can.
struct RunButton: Sendable {
  /// New with each start of the server.
  let proof = {
    let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    return words.joined()
  }()

  func address(of check: UniqueID) -> String { "/checks/\(check.description)/run?proof=\(proof)" }

  /// Whether the request comes from a page of this server, as far as the browser tells.
  func accepts(_ path: RequestPath, _ request: StatusRequest) -> Bool {
    guard let shown = path["proof"], equalInConstantTime(Array(shown.utf8), Array(proof.utf8)) else {
      return false
    }
    // Absent from old browsers and on plain http to other machines; what is there must not contradict.
    return request.fetchSite.map { $0 == "same-origin" } ?? true
  }
}

extension Routes {
  /// `POST /checks/{id}/run`: runs the check and leads back to its page.
  func runFromPage(_ path: RequestPath, _ request: StatusRequest) async -> Reply {
    guard let token = runNow.token else {
      return await notRun(403, "Nobody may run checks by hand here", "set status.run_now_token")
    }
    guard let shown = Credential(request.authorization), shown.matches(token) else {
      var reply = Reply(401, text: "status.run_now_token is needed to run a check: type it as the password\n")
      reply.challenge = "run checks"
      return reply
    }
    guard button.accepts(path, request) else {
      return await notRun(
        403, "This page was made before the agent's last start, or by somebody else",
        "open the check again and press the button there")
    }
    guard let id = UniqueID(path.segments[1]) else { return await notRun(404, "No check has this id", nil) }
    switch await source.runNow(id) {
    case .done:
      var reply = Reply(303, text: "done\n")
      reply.location = "/checks/\(id.description)"
      return reply
    case .noSuchCheck: return await notRun(404, "No enabled check has this id", nil)
    case .busy(let why): return await notRun(409, "Not now: \(why)", nil)
    case .stopping: return await notRun(503, "The agent is ending", nil)
    }
  }

  private func notRun(_ status: Int, _ what: String, _ hint: String?) async -> Reply {
    let snapshot = await source.snapshot()
    return html(status) { NoticePage(snapshot: snapshot, what: what, hint: hint).render(nonce: $0) }
  }
}

/// One sentence, and the way back.
struct NoticePage {
  let snapshot: StatusSnapshot
  let what: String
  let hint: String?

  func render(nonce: String) -> Markup {
    let hint: Markup = hint.map { "<p>\($0)</p>" } ?? ""
    return Layout.page(
      title: what, snapshot: snapshot, nonce: nonce, reloads: false,
      """
      <section class="card empty"><h1>\(what)</h1>\(hint)
      <p><a class="button" href="/">All checks</a></p></section>
      """)
  }
}
