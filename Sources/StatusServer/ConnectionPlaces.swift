// SPDX-License-Identifier: MIT

import Basics

/// The server's places for connections, and the choice of the one to close when all are taken.
///
/// A new connection always gets one: clients that hold connections open and send nothing, or take no answer, must not
/// keep others out. The client with the most idle connections loses its oldest first.
struct ConnectionPlaces {
  enum Stage: Hashable, Sendable {
    /// Its request is awaited or has not come to its end.
    case asking
    /// Its request is whole and others' answers are being made first.
    case waiting
    /// An answer is being made.
    case answering
    /// The answer is the client's to take.
    case sending
    /// It listens to what changes; who does not take it loses his place elsewhere.
    case streaming
  }

  private struct Guest {
    var address: String
    var stage: Stage
    /// Bytes of the answer that is the client's to take.
    var unread = 0
  }

  let limit: Int
  /// Bytes of all answers that are not taken yet; beyond it the oldest of them go.
  let limitUnread: Int
  /// By number, which grows: the smallest came first.
  private var guests: [Int: Guest] = [:]
  private var last = 0

  init(limit: Int, limitUnread: Int = 64 << 20) {
    self.limit = limit
    self.limitUnread = limitUnread
  }

  var isEmpty: Bool { guests.isEmpty }

  /// Gives the new connection's number, and that of the one to be closed for it; nil: there was room. It is its own when
  /// every other one is being answered just now.
  mutating func enter(from address: String) -> (number: Int, leaving: Int?) {
    last += 1
    guests[last] = Guest(address: address, stage: .asking)
    guard guests.count > limit else { return (last, nil) }
    // The newest is asking too; it goes only when nobody else can.
    return (last, idlest(.asking) ?? idlest(.sending) ?? idlest(.waiting) ?? last)
  }

  mutating func move(_ number: Int, to stage: Stage) {
    guests[number]?.stage = stage
    guests[number]?.unread = 0
  }

  /// An answer of so many bytes is the client's to take now. Gives those to be closed for it.
  mutating func send(_ number: Int, bytes: Int) -> [Int] {
    guests[number]?.stage = .sending
    guests[number]?.unread = bytes
    var total = guests.values.reduce(0) { $0 + $1.unread }
    guard total > limitUnread else { return [] }
    var leaving: [Int] = []
    for (other, guest) in guests.sorted(by: { $0.key < $1.key }) where guest.unread > 0 && other != number {
      leaving.append(other)
      total -= guest.unread
      if total <= limitUnread { break }
    }
    return leaving
  }

  mutating func leave(_ number: Int) { guests[number] = nil }

  func stage(of number: Int) -> Stage? { guests[number]?.stage }

  /// The oldest in this stage, of the address with most of them.
  private func idlest(_ stage: Stage) -> Int? {
    var counts: [String: (count: Int, oldest: Int)] = [:]  // own text: addresses
    for (number, guest) in guests where guest.stage == stage && number != last {
      let seen = counts[guest.address] ?? (0, number)
      counts[guest.address] = (seen.count + 1, min(seen.oldest, number))
    }
    return counts.values.max { ($0.count, -$0.oldest) < ($1.count, -$1.oldest) }?.oldest
  }
}
