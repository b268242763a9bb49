// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import QuartzAPI
import Scheduler
import Spool

/// How the agent itself does: store, delivery, schedule.
struct PartsSection {
  let snapshot: StatusSnapshot

  func render() -> Markup {
    let parts = [spool, delivery, schedule, group].compactMap { $0 }
    return """
      <details class="card fold"><summary>\(words)</summary><div class="parts">\(Markup(parts))</div></details>
      \(ElsewhereSection(group: snapshot.group).render())
      """
  }

  /// The figures that most people look for.
  private var words: String {
    var words: [String] = []
    if let spool = snapshot.spool { words.append("\(StatusFormat.grouped(spool.depth)) to deliver") }
    if let late = snapshot.scheduler?.lateP99 {
      words.append("lateness p99 \(StatusFormat.latency(late))")
    }
    return "Agent" + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
  }

  private func part(_ title: String, _ lines: [(String, String)], note: Markup = "") -> Markup {
    let rows = Layout.facts(lines)
    return "<section class=\"card\"><h2>\(title)</h2><dl>\(Markup(rows))</dl>\(note)</section>"
  }

  private func moment(_ instant: Timestamp?) -> String {
    instant.map { StatusFormat.ago($0, now: snapshot.now) } ?? "never"
  }

  private var spool: Markup? {
    guard let spool = snapshot.spool else { return nil }
    return part(
      "Store",
      [
        ("waiting", StatusFormat.grouped(spool.depth)),
        ("oldest", spool.oldest.map { StatusFormat.age($0, now: snapshot.now) } ?? "–"),
        (
          "used",
          "\(StatusFormat.bytes(Int64(spool.bytesUsed))) of \(StatusFormat.bytes(Int64(spool.bytesReserved)))"
        ),
        ("kept", spool.isDurable ? "● on disk" : "✕ in memory only"),
        ("overwritten", StatusFormat.grouped(Int(clamping: spool.dropped))),
        ("set aside", StatusFormat.grouped(spool.quarantined)),
      ])
  }

  private var delivery: Markup? {
    guard let delivery = snapshot.delivery else {
      return part("Delivery", [("to", "off")])
    }
    var lines = [
      ("to", "\(delivery.dialect)"), ("delivered", StatusFormat.grouped(delivery.tally.delivered)),
      ("last success", moment(delivery.tally.lastSuccess)),
      ("backlog", StatusFormat.grouped(snapshot.spool?.depth ?? 0)),
    ]
    if delivery.usage.perHour > 0 {
      lines.append(("requests this hour", "\(delivery.usage.hour) of \(delivery.usage.perHour)"))
    }
    if !snapshot.undelivered.isEmpty {
      lines.append(("checks not delivered", StatusFormat.grouped(snapshot.undelivered.count)))
    }
    let note: Markup =
      delivery.lastError.map { error in
        let hint = Layout.hint(error.hint)
        return """
          <ul class="problems"><li><span class="mark degraded" aria-hidden="true">▲</span> \
          \(moment(error.since)): \(error.what)\(hint)</li></ul>
          """
      } ?? ""
    return part("Delivery", lines, note: note)
  }

  private var group: Markup? {
    guard let group = snapshot.group else { return nil }
    var lines = [
      ("name", StatusFormat.name(group.group)), ("members", StatusFormat.grouped(group.members.count)),
      ("view", String(group.view)),
      (
        "checks mine",
        "\(StatusFormat.grouped(group.assignment.owned)) of \(StatusFormat.grouped(group.assignment.total))"
      ),
      ("taken over", StatusFormat.grouped(group.journal.takeovers)),
    ]
    if let alone = group.alone { lines.append(("alone", "▲ since \(moment(alone.since))")) }
    return part("Group", lines)
  }

  private var schedule: Markup? {
    guard let scheduler = snapshot.scheduler else { return nil }
    return part(
      "Schedule",
      [
        ("lateness p50", StatusFormat.latency(scheduler.lateP50)),
        ("lateness p99", StatusFormat.latency(scheduler.lateP99)),
        ("lateness at most", StatusFormat.latency(scheduler.lateMax)),
        ("in flight", "\(scheduler.inFlight) of \(scheduler.limit)"),
        ("missed slots", scheduler.missedText),
        ("spanned slots", StatusFormat.grouped(scheduler.spanned)),
      ])
  }
}
