// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Number of one content of an incident: another one after each change, and never one that was before. Of two incidents that
/// are equal it may differ, so it counts for nothing where they are compared.
package struct Edition: Hashable, Sendable {
  private(set) var number = Edition.next()

  private static let last = Atomic(0)

  private static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }

  mutating func renew() { number = Self.next() }

  package static func == (left: Edition, right: Edition) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}

/// Incidents that a channel gets nothing of before a time, as long as nothing changes in them: a pass leaves them out. Of
/// thousands that a storm has, most wait for a reminder in hours.
struct Rests: Sendable {
  private struct Rest {
    let edition: Int
    let until: Instant
  }

  private struct StormRest {
    let stamp: StormStamp
    let until: Instant
  }

  private var incidents: [UniqueID: Rest] = [:]
  private var storm: StormRest?

  func hold(_ incident: Incident, at now: Instant) -> Bool {
    guard let rest = incidents[incident.id] else { return false }
    return rest.edition == incident.edition.number && now < rest.until
  }

  mutating func add(_ incident: Incident, until due: Instant) {
    incidents[incident.id] = Rest(edition: incident.edition.number, until: due)
  }

  /// Those of incidents that are gone go by and by.
  mutating func trim(to known: [Incident]) {
    guard incidents.count > 2 * known.count + 100 else { return }  // bounded: incidents in memory
    let ids = Set(known.map(\.id))
    incidents = incidents.filter { ids.contains($0.key) }
  }

  func holdsStorm(_ stamp: StormStamp, at now: Instant) -> Bool {
    storm.map { $0.stamp == stamp && now < $0.until } ?? false
  }

  mutating func addStorm(_ stamp: StormStamp, until due: Instant) {
    storm = StormRest(stamp: stamp, until: due)
  }
}

/// Editions of a storm's incidents: they only rise, so that another sum is another content.
struct StormStamp: Hashable, Sendable {
  private let id: UniqueID
  private let lastAt: Instant?
  private let count: Int
  private var sum = 0

  init(_ storm: Storm, _ book: IncidentBook) {
    (id, lastAt, count) = (storm.id, storm.lastAt, storm.incidents.count)
    for id in storm.incidents { sum &+= book.edition(of: id) }
  }
}

extension Draft {
  /// Before which nothing is sent of it, whatever the stages say; `nil` where that may be now. A repetition has nothing new in
  /// it that a stage could let pass early.
  func restsUntil(_ settings: AlertSettings) -> Instant? {
    // What was left out is sent when its mute ends, which is no change of the incident.
    guard let last = record.lastAt, record.sending == nil, !isNarrowed else { return nil }
    let due: Instant
    switch trigger {
    case .reminder: due = last + settings.remind
    case .keepAlive: due = last + (channel.keepAlive ?? settings.remind)
    default: return nil
    }
    // A check that flaps is well for long enough without a change of the incident.
    return swings.settling.values.min().map { min($0, due) } ?? due
  }
}

extension Storm {
  /// Before which there is no notification of it, as long as nothing changes in its incidents.
  ///
  /// - Parameter own: its incidents, all of them the channel's to hear of.
  func restsUntil(
    _ own: [Incident], _ channel: AlertChannel, _ settings: AlertSettings, news: StormNews = StormNews()
  ) -> Instant? {
    guard let lastAt else { return own.isEmpty ? nil : beganAt + settings.groupWait }
    let isQuiet = own.allSatisfy { $0.activeCount == 0 }
    let firing = own.count { $0.activeCount > 0 || $0.isOpen }
    if isQuiet { return channel.keepAlive.map { lastAt + min($0, settings.groupInterval) } }
    guard !news.isWaiting else { return nil }
    guard firing > Self.limit, !news.hasChanged, hasHeard(of: own) else {
      return lastAt + settings.groupInterval
    }
    return lastAt + max(settings.groupInterval, channel.keepAlive ?? settings.remind)
  }
}
