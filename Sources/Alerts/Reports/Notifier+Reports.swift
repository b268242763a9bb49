// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Reports by schedule. They come after every notification of an incident.
extension Notifier {
  /// The report that a channel is sent now; of one report after the other.
  mutating func reportNotification(_ channel: AlertChannel, _ context: NotifyContext) -> Notification? {
    guard reportHold(channel, context) == nil else { return nil }
    for schedule in settings.reports where schedule.channels.contains(channel.name) {
      guard let due = reports.owed(schedule, to: channel.name, now: context.now.wall) else { continue }
      let known = reports.sending(schedule.name, channel.name, due: due.at)
      return Notification(
        id: known?.id ?? UniqueID.v7(at: context.now.wall, using: &generator), channel: channel,
        kind: .report, form: .report(schedule, due), parts: [], recipients: known?.recipients, isPlain: true)
    }
    return nil
  }

  /// Why a channel is sent no report now, and until when where that is known.
  private func reportHold(
    _ channel: AlertChannel, _ context: NotifyContext
  ) -> (words: String, until: Timestamp?)? {
    if let words = context.reportsHeld { return (words, nil) }
    guard context.isQuiet(.low, for: channel, isFirst: true) else { return nil }
    return ("quiet hours", context.quietEnd)
  }

  /// State of one channel for a report.
  package func reportState(
    _ schedule: ReportSchedule, _ channel: AlertChannel, _ context: NotifyContext
  ) -> ReportState {
    let entry = reports[schedule.name, channel.name]
    var state = ReportState(channel: channel.name)
    (state.period, state.delivered, state.problem) = (entry?.period, entry?.delivered, entry?.problem)
    state.isRefused = entry?.isRefused ?? false
    guard let due = reports.owed(schedule, to: channel.name, now: context.now.wall) else { return state }
    state.owed = due
    if let hold = reportHold(channel, context) {
      (state.isHeld, state.reason, state.until) = (true, hold.words, hold.until)
    } else if let next = retryTime(schedule, channel, due), next > context.now.boot {
      state.reason = "the last attempt failed: \(self.state(of: channel.name).problem ?? "no answer")"
      state.until = context.wall(next)
    } else {
      state.reason = "it is due"
    }
    return state
  }
}

extension Notifier {
  /// Before which a report is not sent, as an attempt failed; `nil` when none did.
  fileprivate func retryTime(
    _ schedule: ReportSchedule, _ channel: AlertChannel, _ due: ReportSchedule.Due
  ) -> Instant? {
    let sending = reports.sending(schedule.name, channel.name, due: due.at)
    let times = [state(of: channel.name).retryTime(isTried: sending != nil), sending?.retryAt]
    return times.compactMap(\.self).max()
  }
}

/// State of one channel for a report by schedule.
package struct ReportState: Hashable, Sendable {
  package var channel: String
  /// The last one that was delivered, and when; `nil` when none was.
  package var period: String?
  package var delivered: Timestamp?
  /// Words of a receiver that refused the last one, or recipients that will never have it.
  package var problem: String?
  /// The last one was refused.
  package var isRefused = false
  /// The one that is due and not delivered; `nil` when there is none.
  package var owed: ReportSchedule.Due?
  /// Something holds it: quiet hours, or the group.
  package var isHeld = false
  /// Why it is not delivered yet, and until when where that is known.
  package var reason: String?
  package var until: Timestamp?

  init(channel: String) { self.channel = channel }
}
