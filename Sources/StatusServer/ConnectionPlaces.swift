// SPDX-License-Identifier: MIT

/// Who holds one of the server's places, and who gives his up when all are taken.
///
/// A new connection always gets one: people who hold connections open and say nothing, or take no answer, must not keep
/// others out. Whoever has most of what is idle loses his oldest first.
struct ConnectionPlaces {
  enum Stage: Hashable, Sendable {
    /// Its request is awaited or has not come to its end.
    case asking
    /// An answer is being made.
    case answering
    /// The answer is the client's to take.
    case sending
  }

  private struct Guest {
    var address: String
    var stage: Stage
  }

  let limit: Int
  /// By number, which grows: the smallest came first.
  private var guests: [Int: Guest] = [:]
  private var last = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { guests.isEmpty }

  /// Gives the new connection's number, and that of the one to be closed for it; nil: there was room. It is its own when
  /// every other one is being answered.
  mutating func enter(from address: String) -> (number: Int, leaving: Int?) {
    last += 1
    guests[last] = Guest(address: address, stage: .asking)
    guard guests.count > limit else { return (last, nil) }
    // The newest is asking too; it goes only when nobody else can.
    return (last, idlest(.asking, besides: last) ?? idlest(.sending, besides: last) ?? last)
  }

  mutating func move(_ number: Int, to stage: Stage) { guests[number]?.stage = stage }

  mutating func leave(_ number: Int) { guests[number] = nil }

  func stage(of number: Int) -> Stage? { guests[number]?.stage }

  /// The oldest in this stage, of the address with most of them.
  private func idlest(_ stage: Stage, besides newest: Int) -> Int? {
    var counts: [String: (count: Int, oldest: Int)] = [:]  // own text: addresses
    for (number, guest) in guests where guest.stage == stage && number != newest {
      let seen = counts[guest.address] ?? (0, number)
      counts[guest.address] = (seen.count + 1, min(seen.oldest, number))
    }
    return counts.values.max { ($0.count, -$0.oldest) < ($1.count, -$1.oldest) }?.oldest
  }
}
