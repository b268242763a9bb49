// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What came of sending a message.
package enum SendOutcome: Hashable, Sendable {
  case delivered
  /// To be tried again, after so long at least where the receiver says it.
  case failed(String, retryAfter: Duration? = nil)
  /// It will never be taken.
  case refused(String)
}

/// Messages on their way, by channel and in their order: a pure machine, kept over restarts.
///
/// A message leaves it when the receiver has it. An agent that dies between the two sends it once more after its start, with
/// the same id.
package struct Outbox: Sendable {
  package struct Entry: Hashable, Sendable {
    package var channel: String
    package var message: AlertMessage
    package var queued: Timestamp
    package var attempts = 0
    package var next: Timestamp
  }

  /// Of one channel, since the start.
  package struct Figures: Hashable, Sendable {
    package var delivered = 0
    package var dropped = 0
    package var waiting = 0
    /// Why the last attempt came to nothing; nil: it did not.
    package var trouble: String?
  }

  private var queues: [String: [Entry]] = [:]  // own text: channels
  private var tallies: [String: Figures] = [:]  // own text: channels
  /// Changed since it was written down.
  package private(set) var isDirty = false

  /// Messages of a channel; the oldest make room.
  package static let limit = 500
  /// After so long nobody wants to be told any more.
  package static let patience: Duration = .seconds(86_400)
  private static let first: Duration = .seconds(5)
  private static let longest: Duration = .seconds(600)
  /// The longest that a receiver may ask for.
  private static let farthest: Duration = .seconds(3600)

  /// - Parameters:
  ///   - saved: what `encode(to:)` wrote; what is damaged in it is left out.
  ///   - channels: those that are configured; what others were to be told is dropped.
  package init(_ saved: JSONValue? = nil, channels: [String], now: Timestamp) {
    for channel in channels { (queues[channel], tallies[channel]) = ([], Figures()) }
    for item in saved?.array ?? [] {
      guard let channel = item["channel"]?.string, queues[channel] != nil, let json = item["message"],
        let message = AlertMessage(json), let queued = item.time("queued")
      else { continue }
      // What was tried and when the next try was due is of the machine's last life.
      queues[channel]?.append(Entry(channel: channel, message: message, queued: queued, next: now))
    }
  }

  package mutating func add(_ message: AlertMessage, to channel: String, now: Timestamp) {
    guard queues[channel] != nil else { return }
    queues[channel]?.append(Entry(channel: channel, message: message, queued: now, next: now))
    isDirty = true
    let excess = (queues[channel]?.count ?? 0) - Self.limit
    if excess > 0 {
      queues[channel]?.removeFirst(excess)
      tallies[channel]?.dropped += excess
    }
  }

  /// The first of each channel whose time has come; the others wait behind it.
  package mutating func due(_ now: Timestamp) -> [Entry] {
    var due: [Entry] = []
    for channel in queues.keys.sorted() {
      while let entry = queues[channel]?.first {
        if entry.queued.duration(to: now) > Self.patience {
          drop(entry, "nobody took it for a day")
          continue
        }
        // One that is far ahead: the clock was set back meanwhile.
        if entry.next <= now || entry.next > now.advanced(by: Self.farthest) { due.append(entry) }
        break
      }
    }
    return due
  }

  /// When the next one is due; nil: none waits.
  package var next: Timestamp? { queues.values.compactMap { $0.first?.next }.min() }

  package mutating func note(_ entry: Entry, _ outcome: SendOutcome, now: Timestamp) {
    guard let place = queues[entry.channel]?.firstIndex(where: { $0.message.id == entry.message.id }) else {
      return
    }
    switch outcome {
    case .delivered:
      queues[entry.channel]?.remove(at: place)
      tallies[entry.channel]?.delivered += 1
      tallies[entry.channel]?.trouble = nil
      isDirty = true
    case .refused(let why): drop(entry, why)
    case .failed(let why, let retryAfter):
      let attempts = entry.attempts + 1
      let backoff = min(Self.longest, Self.first * Double(1 << min(attempts - 1, 10)))
      let wait = max(backoff, min(retryAfter ?? .zero, Self.farthest))
      queues[entry.channel]?[place].attempts = attempts
      queues[entry.channel]?[place].next = now.advanced(by: wait)
      tallies[entry.channel]?.trouble = why
    }
  }

  private mutating func drop(_ entry: Entry, _ why: String) {
    queues[entry.channel]?.removeAll { $0.message.id == entry.message.id }
    tallies[entry.channel]?.dropped += 1
    tallies[entry.channel]?.trouble = why
    isDirty = true
  }

  package func figures(of channel: String) -> Figures {
    var figures = tallies[channel] ?? Figures()
    figures.waiting = queues[channel]?.count ?? 0
    return figures
  }

  package mutating func encode(to json: inout JSONWriter) {
    isDirty = false
    json.array { json in
      for channel in queues.keys.sorted() {
        for entry in queues[channel] ?? [] {
          json.object { json in
            json.field("channel", channel)
            json.field("queued", entry.queued)
            json.key("message")
            entry.message.write(to: &json)
          }
        }
      }
    }
  }
}
