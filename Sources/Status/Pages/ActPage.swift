// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Mute or maintenance until a time of one's choice.
package struct ActPage {
  let snapshot: StatusSnapshot
  let forms: PageForms
  let incident: IncidentStatus?
  let check: CheckStatus?

  private static let lengths = ["30m", "1h", "4h", "8h", "24h", "7d"]

  package init(snapshot: StatusSnapshot, forms: PageForms, incident: IncidentStatus?, check: CheckStatus?) {
    (self.snapshot, self.forms, self.incident, self.check) = (snapshot, forms, incident, check)
  }

  package func render(nonce: String) -> Markup {
    let (field, id, back, name): (String, UniqueID, String, String)
    if let incident {
      (field, id, back, name) = (
        "incident", incident.id, "/incidents/\(incident.id.description)", incident.heading
      )
    } else if let check {
      (field, id, back, name) = ("check", check.id, "/checks/\(check.id.description)", check.name)
    } else {
      return ""
    }
    let lengths: [Markup] = Self.lengths.map {
      "<option value=\"\($0)\"\($0 == "1h" ? " selected" : "" as Markup)>\($0)</option>"
    }
    let content: Markup = """
      <p><label for="for">For</label><select id="for" name="for">\(Markup(lengths))</select></p>
      <p><label for="until">or until (UTC)</label><input id="until" type="datetime-local" name="until"></p>
      <p><label for="note">Note</label><input id="note" type="text" name="note" maxlength="200" autocomplete="off"></p>
      """
    let buttons = forms.button(.mute, "Mute", isFirst: true) + forms.button(.maintenance, "Start maintenance")
    return Layout.page(
      title: "Mute · \(StatusFormat.name(name))", snapshot: snapshot, nonce: nonce, live: .none,
      """
      <nav class="bar" aria-label="Back"><a class="button" href="\(back)">← Back</a></nav>
      <section class="card fields"><h1>\(Layout.name(name))</h1>
      <p class="dim">Mute: no notifications. Maintenance: no notifications, and no downtime counts.</p>
      \(forms.form("Mute or maintenance", [(field, id.description), ("back", back)], buttons, content: content))</section>
      """)
  }
}

/// The results of a run of several checks.
package struct RanPage {
  let snapshot: StatusSnapshot
  let words: String
  /// Outcome of each run, in words.
  let outcomes: [(check: CheckStatus, words: String)]
  let back: String

  package init(
    snapshot: StatusSnapshot, words: String, outcomes: [(check: CheckStatus, words: String)], back: String
  ) {
    (self.snapshot, self.words, self.outcomes, self.back) = (snapshot, words, outcomes, back)
  }

  package func render(nonce: String) -> Markup {
    let rows: [Markup] = outcomes.map { item in
      """
      <li><a href="/checks/\(item.check.id.description)">\(Layout.name(item.check.name))</a>\
      <span class="dim">\(item.words)</span></li>
      """
    }
    return Layout.page(
      title: words, snapshot: snapshot, nonce: nonce, live: .none,
      """
      <nav class="bar" aria-label="Back"><a class="button" href="\(back)">← Back</a></nav>
      <section class="card"><h1>\(words)</h1><ul class="problems">\(Markup(rows))</ul></section>
      """)
  }
}

/// Where a person types the token, once. It says nothing of the agent: it is shown before anybody may read.
package struct SignInPage {
  var person: SignedInPerson?
  let isOn: Bool
  /// The page to go back to.
  let back: String
  var problem: String?

  package init(person: SignedInPerson? = nil, isOn: Bool, back: String, problem: String? = nil) {
    (self.person, self.isOn, self.back, self.problem) = (person, isOn, back, problem)
  }

  package func render(nonce: String) -> Markup {
    Layout.page(
      title: "Sign in", snapshot: nil, nonce: nonce, live: .none,
      "<section class=\"card fields\"><h1>Sign in</h1>\(notice)\(isOn ? form : off)</section>")
  }

  private var notice: Markup {
    let problem: Markup =
      problem.map {
        "<p role=\"alert\"><span class=\"mark down\" aria-hidden=\"true\">✕</span>&nbsp;\($0)</p>"
      } ?? ""
    guard let person else { return problem }
    let name: Markup = person.name.map { " as \(Layout.name($0))" } ?? ""
    let rights: Markup = person.mayAct ? "" : ", to read"
    return """
      \(problem)<p>You are signed in\(name)\(rights).</p>\
      <form method="post" action="\(FormPath.signOut)"><div class="acts"><a class="button" href="/">All checks</a><button>Sign out</button></div></form>
      """
  }

  private var off: Markup { "<p>No token is set. Set status.run_now_token in agent.yaml.</p>" }

  private var form: Markup {
    """
    <form method="post" action="\(FormPath.signIn)"><input type="hidden" name="back" value="\(back)">\
    <p><label for="token">Token</label><input id="token" type="password" name="token" required autocomplete="current-password"></p>
    <p><label for="name">Your name, for acknowledgements</label><input id="name" type="text" name="name" maxlength="40" autocomplete="nickname"></p>
    <div class="acts"><button class="first">Sign in</button></div></form>
    """
  }
}

/// A person who signed in on the page.
package struct SignedInPerson: Hashable, Sendable {
  /// As they named themselves; `nil` when they did not.
  package var name: String?
  /// May do what the page offers, not only read.
  package var mayAct: Bool

  package init(name: String?, mayAct: Bool) { (self.name, self.mayAct) = (name, mayAct) }
}
