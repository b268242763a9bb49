// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What one place says of a check.
package struct Vote: Hashable, Sendable {
  package var state: CheckState
  package var reason: Reason
  /// The store's revision of the newest question that was there before the probe began; 0: of none.
  package var answers: Int64

  package init(_ state: CheckState, _ reason: Reason, answers: Int64 = 0) {
    (self.state, self.reason, self.answers) = (state, reason, answers)
  }

  /// Bytes of one at most.
  package static let limit = 1024

  package var json: [UInt8] {
    var json = JSONWriter(reserving: 96)
    json.object { json in
      json.field("state", state.rawValue)
      json.field("reason", reason.rawValue)
      json.field("answers", answers)
    }
    return json.bytes
  }

  /// Nil: it is none. A word that another version knows counts as what it says of the target: nothing.
  package init?(json bytes: [UInt8]) {
    guard bytes.count <= Self.limit, let json = try? JSONValue.parse(bytes, maxDepth: 4),
      let state = json["state"]?.string.flatMap({ CheckState(word: $0) })
    else { return nil }
    self.state = state
    let fallback: Reason = state == .down ? .localFault : .ok
    reason = json["reason"]?.string.flatMap { Reason(word: $0) } ?? fallback
    answers = max(0, json["answers"]?.integer ?? 0)
  }
}

/// What is known of the votes and questions of our own checks: a mirror of the store, as far as it has been told.
struct VoteBook: Sendable {
  struct Watched: Sendable {
    var check: MonitoringCheck
    var confirm: ConfirmSettings
    var votes: [ByteText: Vote] = [:]
    /// When the state of each vote was first heard of here.
    var since: [ByteText: Timestamp] = [:]
    /// Revisions of what others ask.
    var questions: [ByteText: Int64] = [:]
  }

  /// This agent's own.
  let place: String
  private(set) var watched: [UniqueID: Watched] = [:]

  init(place: String) { self.place = place }

  /// Checks that ask this place, and may be asked.
  ///
  /// - Returns: those that are not here any more.
  mutating func apply(_ checks: [MonitoringCheck]) -> [UniqueID] {
    var next: [UniqueID: Watched] = [:]
    for check in checks where check.enabled {
      guard let confirm = check.plan.confirm, confirm.of.contains(place) else { continue }
      var item = watched[check.id] ?? Watched(check: check, confirm: confirm)
      (item.check, item.confirm) = (check, confirm)
      next[check.id] = item
    }
    let gone = watched.keys.filter { next[$0] == nil }
    watched = next
    return gone
  }

  /// A reading of everything: what is not in it is not there.
  mutating func replace(_ entries: [QuorumEntry], now: Timestamp) -> [Question] {
    let there = Set(entries.map(\.key))
    for id in watched.keys {
      watched[id]?.questions = [:]
      for place in Array((watched[id]?.votes ?? [:]).keys)
      where !there.contains(.vote(check: id, place: place.text)) {
        watched[id]?.votes[place] = nil
        watched[id]?.since[place] = nil
      }
    }
    return take(entries, now: now)
  }

  struct Question: Hashable, Sendable {
    var check: UniqueID
    var revision: Int64
  }

  /// Changes, in their order.
  ///
  /// - Returns: what others want to know.
  mutating func take(_ entries: [QuorumEntry], now: Timestamp) -> [Question] {
    var questions: [Question] = []
    for entry in entries {
      guard let item = watched[entry.key.check] else { continue }
      switch entry.key {
      case .vote(let check, let place):
        // What is here is known here.
        guard place != self.place, item.confirm.of.contains(place) else { continue }
        let (name, vote) = (ByteText(place), entry.value.flatMap { Vote(json: $0) })
        if vote?.state != item.votes[name]?.state { watched[check]?.since[name] = vote.map { _ in now } }
        watched[check]?.votes[name] = vote
      case .question(let check, let place):
        guard place != self.place, item.confirm.of.contains(place) else { continue }
        let revision = entry.value == nil ? nil : entry.revision
        watched[check]?.questions[ByteText(place)] = revision
        if let revision { questions.append(Question(check: check, revision: revision)) }
      case .incident: break
      }
    }
    return questions
  }

  /// The others' votes on a check.
  ///
  /// - Parameter asked: the revision of our own question; nil: there was none.
  func votes(_ check: UniqueID, since asked: Int64?) -> [String: PlaceVote] {  // own text
    var votes: [String: PlaceVote] = [:]  // own text
    for (place, vote) in watched[check]?.votes ?? [:] {
      votes[place.text] = PlaceVote(
        vote.state, vote.reason, hasAnswered: asked.map { vote.answers >= $0 } ?? false)
    }
    return votes
  }
}
