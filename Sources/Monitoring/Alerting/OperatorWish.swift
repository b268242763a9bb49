// SPDX-License-Identifier: MIT

import Basics

/// An operator's command to the running agent, from the command line or the API.
package struct OperatorWish: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// I know of it: no more reminders. The incident's id or the last letters of it.
    case acknowledge(incident: String)
    /// Mutes notifications for these checks for so long.
    case mute(target: OperatorTarget, length: Duration)
    case unmute(id: String)
    /// Starts a maintenance window on these for so long: failures in it are no downtime.
    case startMaintenance(target: OperatorTarget, length: Duration, skip: Bool)
    case endMaintenance(id: String)
  }

  package var kind: Kind
  /// As they named themselves; nil: they did not.
  package var by: String?
  package var why: String?

  package init(_ kind: Kind, by: String? = nil, why: String? = nil) {
    self.kind = kind
    // Into a file and onto pages: one line each.
    self.by = by?.printable(maxBytes: 80)
    self.why = why?.printable(maxBytes: 200)
  }

  /// Of a mute or a window.
  package static let length: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)
}

/// Which checks an operator means.
package enum OperatorTarget: Hashable, Sendable {
  case check(String)
  case tag(String)
  case everything

  /// A name, an id, `tag:` and a tag, or `all`.
  package init(_ word: String) {
    if word == "all" {
      self = .everything
    } else if word.hasPrefix("tag:") {
      self = .tag(String(word.dropFirst(4)))
    } else {
      self = .check(word)
    }
  }

  /// The text of one that was kept. A name stays as its owner wrote it, joiners and soft hyphens as well: any other text
  /// means another check, or none. `nil` for what no check or tag is called.
  package init?(kept text: String) {
    // The second of two checks with one name has a longer one than may be given.
    guard text.utf8.count <= 2 * CheckLimits.nameBytes, !text.hasControlCharacter else { return nil }
    self.init(text)
  }

  package var text: String {
    switch self {
    case .check(let name): name
    case .tag(let tag): "tag:\(tag)"
    case .everything: "all"
    }
  }

  package var selection: MaintenanceSelection {
    switch self {
    case .check(let name): MaintenanceSelection(checks: [ByteText(name)])
    case .tag(let tag): MaintenanceSelection(tags: [ByteText(tag)])
    case .everything: MaintenanceSelection()
    }
  }
}

/// Answer to an operator's command.
package enum OperatorAnswer: Hashable, Sendable {
  /// In one line.
  case done(String)
  case notFound(String, hint: String?)
  case refused(String)
}
