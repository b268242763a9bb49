// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring

// The group's open incidents, as an etcd keeps them: all changes of a transaction or none, at one revision.
extension LeaseStore {
  func readIncidents() -> IncidentReading {
    IncidentReading(
      world: content.cluster, revision: content.revision,
      entries: content.open.values.sorted { $0.check < $1.check })
  }

  func write(_ changes: [IncidentChange]) -> Result<Int64?, StoreTrouble> {
    // Whatever would put something is refused, whether or not it would come to that.
    if mood == .full, changes.contains(where: { $0.value != nil }) {
      return .failure(StoreTrouble(.noSpace, "database space exceeded"))
    }
    for change in changes where content.open[change.check]?.changed ?? 0 != change.replacing {
      return .success(nil)
    }
    content.revision += 1
    let revision = content.revision
    for change in changes {
      let known = content.open[change.check]
      guard change.value != nil || known != nil else { continue }
      let entry = IncidentEntry(
        change.check, change.value, created: change.value == nil ? 0 : known?.created ?? revision,
        changed: revision)
      content.open[change.check] = change.value == nil ? nil : entry
      content.incidentLog.append(entry)
      observe(entry)
      for id in watches.keys.sorted() { watches[id]?.deliver(.incident(entry), after: delay) }
    }
    return .success(revision)
  }
}

/// The store's incidents as one life has them, in the place of `EtcdIncidents`.
struct LifeIncidents: IncidentStore {
  private let room: GroupRoom
  private let life: Life

  init(_ room: GroupRoom, _ life: Life) { (self.room, self.life) = (room, life) }

  private static let stopped = StoreTrouble(.unreachable, "stopped")

  func readIncidents() async -> Result<IncidentReading, StoreTrouble> {
    let (store, way) = (room.store, room.way)
    return await life.answer { answer in
      store.exchange(by: way, isLarge: true, { store.readIncidents() }, answer)
    } ?? .failure(Self.stopped)
  }

  func write(_ changes: [IncidentChange]) async -> Result<Int64?, StoreTrouble> {
    let (store, way) = (room.store, room.way)
    return await life.answer { answer in
      store.exchange(by: way, isLarge: false, { store.write(changes) }, { answer($0.flatMap { $0 }) })
    } ?? .failure(Self.stopped)
  }

  func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { position.isIdle(mark) }

  func watchIncidents(
    after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
  ) async -> WatchEnd {
    var number = 0
    let end: WatchEnd? = await life.answer {
      number = room.store.watch(
        .incidents, after: revision, by: room.way, life,
        { news in
          tell(news.compactMap { if case .incident(let entry) = $0 { entry } else { nil } })
        }, $0)
    }
    room.store.leave(number)
    return end ?? .over
  }
}
