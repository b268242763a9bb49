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
  /// What a channel is being sent now.
  private var sending: [String: UniqueID] = [:]  // own text: channels
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

  /// Puts a message behind those that wait. What waits of the same incident and is no news any more makes room: a receiver
  /// that comes back is told that it began and how it is now, not everything in between.
  ///
  /// - Parameter hold: something is not known yet that is worth waiting for so long; see `complete`.
  package mutating func add(
    _ message: AlertMessage, to channel: String, hold: Duration = .zero, now: Timestamp
  ) {
    guard var queue = queues[channel] else { return }
    let busy = sending[channel]
    if message.kind == .update || message.kind == .recovered {
      queue.removeAll {
        $0.message.kind == .update && $0.message.incident == message.incident && $0.message.id != busy
      }
    }
    queue.append(
      Entry(channel: channel, message: message, queued: now, next: now.advanced(by: hold)))
    isDirty = true
    // What is on its way may arrive: it is not the one to make room.
    if queue.count > Self.limit, let oldest = queue.firstIndex(where: { $0.message.id != busy }) {
      queue.remove(at: oldest)
      tallies[channel]?.dropped += 1
    }
    queues[channel] = queue
  }

  /// Adds what has become known meanwhile to messages that nobody was sent yet. One that lacks nothing any more goes at
  /// once.
  package mutating func complete(
    now: Timestamp, _ body: (AlertMessage) -> (message: AlertMessage, isComplete: Bool)
  ) {
    for channel in queues.keys {
      for (place, entry) in (queues[channel] ?? []).enumerated()
      where entry.attempts == 0 && entry.next > now && sending[channel] != entry.message.id {
        let (message, isComplete) = body(entry.message)
        if message != entry.message { isDirty = true }
        queues[channel]?[place].message = message
        if isComplete { queues[channel]?[place].next = now }
      }
    }
  }

  /// The first of each channel whose time has come, to be sent now and noted afterwards; the others wait behind it.
  package mutating func due(_ now: Timestamp) -> [Entry] {
    var due: [Entry] = []
    for channel in queues.keys.sorted() where sending[channel] == nil {
      while let entry = queues[channel]?.first {
        if entry.queued.duration(to: now) > Self.patience {
          drop(entry, "nobody took it for a day")
          continue
        }
        // One that is far ahead: the clock was set back meanwhile.
        if entry.next <= now || entry.next > now.advanced(by: Self.farthest * 2) {
          due.append(entry)
          sending[channel] = entry.message.id
        }
        break
      }
    }
    return due
  }

  /// Puts back what is not to be sent now, or not any more.
  package mutating func unsend(_ entry: Entry, drops: Bool) {
    sending[entry.channel] = nil
    guard drops else { return }
    queues[entry.channel]?.removeAll { $0.message.id == entry.message.id }
    isDirty = true
  }

  /// Something of an incident has not reached a channel yet.
  package func isWaiting(_ incident: UniqueID, _ channel: String) -> Bool {
    queues[channel]?.contains { $0.message.incident == incident } ?? false
  }

  /// When the next one is due; nil: none waits.
  package var next: Timestamp? { queues.values.compactMap { $0.first?.next }.min() }

  package mutating func note(_ entry: Entry, _ outcome: SendOutcome, now: Timestamp) {
    sending[entry.channel] = nil
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
      let least = max(backoff, min(retryAfter ?? .zero, Self.farthest))
      let wait = least * (1 + Self.spread(entry.message.id, attempts))
      queues[entry.channel]?[place].attempts = attempts
      queues[entry.channel]?[place].next = now.advanced(by: wait)
      tallies[entry.channel]?.trouble = why
    }
  }

  /// From 0 to a quarter, another for each message and each attempt: those who wait for the same receiver do not come back
  /// in the same moment. The id's own chance is enough for it.
  private static func spread(_ id: UniqueID, _ attempts: Int) -> Double {
    var word = id.low &+ UInt64(clamping: attempts) &* 0x9e37_79b9_7f4a_7c15
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return Double((word ^ (word >> 27)) >> 40) / Double(1 << 26)
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
