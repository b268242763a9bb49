// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The state that the readers of the page have, and the changes since: events as text (HTML, section 9.2.6
/// "Interpreting an event stream").
package struct LivePicture {
  /// Content of a row beside its ages and windows, which move with every result.
  private struct Row: Equatable {
    var standing: Standing
    var result: LastResult?
    var mutedUntil: Timestamp?
    var acknowledgedBy: String?
    var incident: UniqueID?
  }

  private struct Standing: Equatable {
    var state: CheckState
    var enabled: Bool
    var stale: Bool
    var isPending: Bool
    var maintenance: CheckMaintenance?
  }

  /// Rows in one round; more wait for the next, those that were not told for longest first.
  static let maxRows = 100

  /// Of the cards; `nil` where no token for actions is set.
  var forms: PageForms?
  private var ids: [UniqueID]?
  private var rows: [UniqueID: (row: Row, round: Int)] = [:]
  private var parts: [String] = []
  private var round = 0

  package init(forms: PageForms? = nil) { self.forms = forms }

  /// Fetch the page again: what is on it is not known here.
  package static func sync(_ now: Timestamp) -> String { event("sync", "") + event("tick", now.rfc3339) }

  /// The events since the last call; the first one says that the page is to be fetched again.
  package mutating func update(_ snapshot: StatusSnapshot) -> String {
    round += 1
    let isSame = ids == snapshot.checks.map(\.id)
    var news = isSame ? changedRows(snapshot) : meet(snapshot)
    let title = DashboardPage.title(snapshot)
    let named = DashboardPage.parts(snapshot, forms).map { ($0.name, $0.content.html) } + [("title", title)]
    for (index, part) in named.enumerated() where index >= parts.count || parts[index] != part.1 {
      if isSame { news += Self.event("part", part.0 + "\n" + part.1) }
    }
    parts = named.map(\.1)
    return news + Self.event("tick", snapshot.now.rfc3339)
  }

  private mutating func meet(_ snapshot: StatusSnapshot) -> String {
    ids = snapshot.checks.map(\.id)
    rows = [:]
    for check in snapshot.checks { rows[check.id] = (Self.row(check, snapshot), round) }
    return Self.event("sync", "")
  }

  private mutating func changedRows(_ snapshot: StatusSnapshot) -> String {
    var changed: [(check: CheckStatus, moved: Bool, round: Int)] = []
    for check in snapshot.checks {
      guard let known = rows[check.id] else { continue }
      let row = Self.row(check, snapshot)
      if row != known.row { changed.append((check, row.standing != known.row.standing, known.round)) }
    }
    // Another state is told at once, whatever else there is.
    changed.sort { ($1.moved ? 1 : 0, $0.round) < ($0.moved ? 1 : 0, $1.round) }
    var news = ""
    for (check, _, _) in changed.prefix(Self.maxRows) {
      rows[check.id] = (Self.row(check, snapshot), round)
      news += Self.event(
        "row", check.id.description + "\n" + CheckRow(check, snapshot).content().html)
    }
    // The order of the list, and what a filter shows, may be another one.
    return changed.first?.moved == true ? news + Self.event("moved", "") : news
  }

  private static func row(_ check: CheckStatus, _ snapshot: StatusSnapshot) -> Row {
    Row(
      standing: Standing(
        state: check.state, enabled: check.enabled, stale: check.stale, isPending: check.isPending,
        maintenance: check.maintenance), result: check.last, mutedUntil: check.mutedUntil,
      acknowledgedBy: check.acknowledgedBy, incident: snapshot.alerts?.incidentOf[check.id])
  }

  /// No text can end the event or begin another: each line of it is data.
  private static func event(_ name: String, _ data: String) -> String {
    var text = "event: \(name)\n"
    for line in data.split(separator: "\n", omittingEmptySubsequences: false) { text += "data: \(line)\n" }
    return text + "\n"
  }
}
