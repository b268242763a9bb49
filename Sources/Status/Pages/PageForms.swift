// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The forms on our pages that do something. Each works without a script.
///
/// A browser sends its session along whatever page made it ask, as far as `SameSite` lets it, so every form carries a proof
/// that it came from a page of ours: a random number that only readers of our pages know, and no other origin.
package struct PageForms: Sendable {
  /// New with each start of the server.
  package let proof = {
    let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    return words.joined()
  }()

  /// Of the mute that takes one press.
  package static let muteLength: Duration = .seconds(3600)

  package init() {}

  func address(of check: UniqueID) -> String { "/checks/\(check.description)/run?proof=\(proof)" }

  /// The actions on an incident.
  func incident(_ incident: IncidentStatus, isMuted: Bool, back: String) -> Markup {
    let isKnown = incident.acknowledgedBy != nil
    let buttons: [Markup] = [
      isKnown ? "" : button(.acknowledge, "Acknowledge", isFirst: true),
      isMuted ? button(.unmute, "Unmute") : button(.mute, "Mute 1 h"),
      "<a class=\"button\" href=\"\(FormPath.act)?incident=\(incident.id.description)\">Until…</a>",
      button(.run, plural("Run now", incident.memberCount, "Run all now")),
    ]
    return form(
      "Actions on this incident", [("incident", incident.id.description), ("back", back)],
      Markup(buttons))
  }

  /// The actions on a check, beside the button that runs it.
  func check(_ check: CheckStatus) -> Markup {
    let id = check.id.description
    let buttons: [Markup] = [
      check.mutedUntil == nil ? button(.mute, "Mute 1 h") : button(.unmute, "Unmute"),
      "<a class=\"button\" href=\"\(FormPath.act)?check=\(id)\">Until…</a>",
    ]
    return form("Actions on this check", [("check", id), ("back", "/checks/\(id)")], Markup(buttons))
  }

  /// Ends a mute or a maintenance window by hand.
  func end(_ act: PageAction, _ id: String, _ label: String, back: String) -> Markup {
    form(label, [("order", id), ("back", back)], button(act, label))
  }

  func unmute(_ id: String, label: String, back: String) -> Markup { end(.unmute, id, label, back: back) }

  /// - Parameter label: what a screen reader calls the group of buttons.
  func form(
    _ label: String, _ fields: [(String, String)], _ buttons: Markup, content: Markup = ""
  ) -> Markup {
    let hidden = (fields + [("proof", proof)]).map {
      "<input type=\"hidden\" name=\"\($0.0)\" value=\"\($0.1)\">" as Markup
    }
    return """
      <form method="post" action="\(FormPath.act)">\(Markup(hidden))\(content)<div class="acts" role="toolbar" aria-label="\(label)">\
      \(buttons)</div></form>
      """
  }

  func button(_ act: PageAction, _ label: String, isFirst: Bool = false) -> Markup {
    "<button\(isFirst ? " class=\"first\"" : "" as Markup) name=\"do\" value=\"\(act.rawValue)\">\(label)</button>"
  }
}

/// Action of a form on our pages.
package enum PageAction: String, CaseIterable, Sendable {
  case acknowledge = "ack"
  case mute, unmute, maintenance
  case endMaintenance = "end-maintenance"
  case run
}

/// Where the forms of our pages go.
package enum FormPath {
  package static let act = "/act"
  package static let signIn = "/sign-in"
  package static let signOut = "/sign-out"
  package static let all = [act, signIn, signOut]
}
