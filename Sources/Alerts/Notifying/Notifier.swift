// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Decides what each channel is sent next: a pure machine over the incidents and their notification log.
///
/// The sender, `alert explain`, the page and the status ask the same function, `decide`.
package struct Notifier: Sendable {
  package internal(set) var settings: AlertSettings
  package internal(set) var states: [String: ChannelState] = [:]  // own text: channels
  /// Channels that are not configured any more, and get what ends there first.
  package internal(set) var leaving: [AlertChannel] = []
  /// Incidents that were left open at a receiver, for the log.
  var leftOpen: [LeftOpenNote] = []
  /// Reports by schedule.
  var reports = ReportLog()
  /// Incidents that need no look, by channel.
  var rests: [String: Rests] = [:]  // own text: channels
  var generator: any RandomNumberGenerator & Sendable

  package enum Decision: Sendable {
    case nothing
    case hold(NotifyStage, String, until: Timestamp?, Draft)
    case fold(StageRuling.Fold, Draft)
    case send(Draft)
  }

  init(
    _ settings: AlertSettings, now: Timestamp,
    generator: any RandomNumberGenerator & Sendable = RandomPool()
  ) {
    (self.settings, self.generator) = (settings, generator)
    for channel in settings.channels { states[channel.name] = ChannelState(digestUpTo: now) }
    reports.follow(settings.reports, now: now)
  }

  package func state(of channel: String) -> ChannelState {
    states[channel] ?? ChannelState(digestUpTo: .epoch)
  }

  /// Every channel that may have something to be sent.
  package var channels: [AlertChannel] { settings.channels + leaving }

  /// The one function that says what a channel is to be sent of an incident, and what holds it.
  package func decide(
    _ incident: Incident, _ channel: AlertChannel, _ context: NotifyContext
  ) -> Decision {
    decide(incident, channel, context, through: Stage.all[...])
  }

  func decide(
    _ incident: Incident, _ channel: AlertChannel, _ context: NotifyContext, through stages: ArraySlice<Stage>
  ) -> Decision {
    let isLeaving = leaving.contains { $0.name == channel.name }
    guard var draft = Draft(incident, channel, settings, now: context.now.boot, isLeaving: isLeaving) else {
      return .nothing
    }
    let state = state(of: channel.name)
    for stage in stages {
      switch stage.judge(&draft, context, state) {
      case .pass: continue
      case .hold(let words, let until):
        // A digest that its receiver refused has failed, whenever the next one is due.
        if stage.name == .severity, let refusal = draft.refusal {
          return .hold(.deduplicate, refusal, until: nil, draft)
        }
        return .hold(stage.name, words, until: until, draft)
      case .fold(let fold): return .fold(fold, draft)
      }
    }
    return .send(draft)
  }

  /// No channel has anything to be sent of it, now or later.
  package func isSettled(_ incident: Incident) -> Bool {
    guard !incident.isOpen else { return false }
    return channels.allSatisfy { channel in
      incident.log[channel.name].map { Draft.triggerOver($0, channel, incident, settings) == nil } ?? true
    }
  }
}

extension Notifier {
  /// Why what is sent in another notification is not sent yet, in words, and until when where that is known.
  package func reason(
    of fold: StageRuling.Fold, to channel: AlertChannel, _ context: NotifyContext
  ) -> (words: String, until: Timestamp?) {
    let words = fold == .storm ? "in the notification of a storm" : "in the digest that is due"
    let state = state(of: channel.name)
    if let next = state.retryAt, next > context.now.boot {
      return ("\(words); the last attempt failed: \(state.problem ?? "no answer")", context.wall(next))
    }
    guard fold == .storm, let next = state.storm?.lastAt.map({ $0 + settings.groupInterval }),
      next > context.now.boot
    else { return (words, nil) }
    return (words, context.wall(next))
  }
}
