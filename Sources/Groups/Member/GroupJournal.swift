// SPDX-License-Identifier: MIT

import Basics

/// A member's record of events: the last changes, why the store does not answer, and which agent has its name.
package struct GroupJournal: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case joined(String)
    case leaving(String)
    /// Its lease has ended.
    case gone(String)
    /// As it had said.
    case left(String)
    case moved(gained: Int, given: Int, because: String?)
    case alone
    /// The same, and it has not been seen since the start.
    case unreached
    case back
    case newWorld
    /// Another process has this member's name.
    case nameTaken

    package var words: String {
      switch self {
      case .joined(let name): "\(name.printable(maxBytes: 100)) joined"
      case .leaving(let name): "\(name.printable(maxBytes: 100)) is leaving"
      case .gone(let name): "\(name.printable(maxBytes: 100)) is gone: its lease ended"
      case .left(let name): "\(name.printable(maxBytes: 100)) has left"
      case .moved(let gained, let given, let why):
        Self.move(gained, given) + (why.map { ", for \($0)" } ?? "")
      case .alone: "the store was lost: going on alone"
      case .unreached: "the store has not been reached: going on alone"
      case .back: "the store is back"
      case .newWorld: "the store is another one or was set back: everything was read again"
      case .nameTaken: "another agent is in the group under this name: waiting until it is free"
      }
    }

    private static func checks(_ count: Int) -> String { counted(count, "check") }

    private static func move(_ gained: Int, _ given: Int) -> String {
      switch (gained, given) {
      case (_, 0): "\(checks(gained)) came here"
      case (0, _): "\(checks(given)) went to others"
      default: "\(checks(gained)) came here and \(given) went to others"
      }
    }
  }

  package struct Entry: Hashable, Sendable {
    package var at: Timestamp
    package var revision: Int64
    package var what: What
  }

  /// Oldest first.
  package private(set) var entries: [Entry] = []
  /// `nil` once the store has done again what it was asked.
  package private(set) var trouble: (what: StoreTrouble, since: Timestamp)? {
    get { troubles.first.map { ($0, troubleSince) } }
    set {
      troubles = newValue.map { [$0.what] } ?? []
      troubleSince = newValue?.since ?? .epoch
    }
  }
  /// Entries so far, also those that are not kept any more.
  package private(set) var total = 0
  private var troubles: [StoreTrouble] = []
  private var troubleSince = Timestamp.epoch
  /// Another process has this member's name.
  package private(set) var rival: Rival?
  /// Checks that came from others, since the start.
  package var takeovers = 0

  package struct Rival: Hashable, Sendable {
    package var card: MemberCard?
    package var since: Timestamp
  }

  package static let most = 64

  mutating func note(_ at: Timestamp, _ revision: Int64, _ what: What) {
    total += 1
    entries.append(Entry(at: at, revision: revision, what: what))
    if entries.count > Self.most { entries.removeFirst(entries.count - Self.most) }
  }

  mutating func moved(gained: Int, given: Int, revision: Int64, at: Timestamp) {
    // What came right before it is why.
    let cause = entries.last.flatMap { entry -> String? in
      if case .moved = entry.what { return nil }
      return entry.at == at ? entry.what.words : nil
    }
    note(at, revision, .moved(gained: gained, given: given, because: cause))
  }

  mutating func trouble(_ found: StoreTrouble, at: Timestamp) {
    trouble = (found, trouble?.what.kind == found.kind ? troubleSince : at)
  }

  mutating func clearTrouble() { trouble = nil }

  /// - Returns: whether it is news.
  @discardableResult
  mutating func taken(by card: MemberCard?, at: Timestamp) -> Bool {
    let isNew = rival == nil || rival?.card?.boot != card?.boot
    if isNew { note(at, 0, .nameTaken) }
    rival = Rival(card: card, since: rival?.card?.boot == card?.boot ? rival?.since ?? at : at)
    return isNew
  }

  mutating func clearTaken() { rival = nil }
}
