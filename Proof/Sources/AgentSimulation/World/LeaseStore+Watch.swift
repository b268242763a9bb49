// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Groups

// Watches: every change in its order, late, until they end or fall silent.
extension LeaseStore {
  /// What is told: of the members' cards, or of the group's incidents.
  enum News {
    case card(StoreChange)
    case incident(IncidentEntry)

    var folder: Folder {
      switch self {
      case .card: .members
      case .incident: .incidents
      }
    }

    var revision: Int64 {
      switch self {
      case .card(let change): change.revision
      case .incident(let entry): entry.changed
      }
    }
  }

  enum Folder { case members, incidents }

  final class Watch {
    let way: StoreWay
    let folder: Folder
    let life: Life
    private let after: Int64
    private let tell: ([News]) -> Void
    private var last: Instant
    /// It has died without a word.
    var isDeaf = false
    /// What is on its way while nothing comes through: it comes afterwards.
    private var stalled: [News] = []
    let end: (WatchEnd) -> Void

    init(
      _ folder: Folder, _ way: StoreWay, _ life: Life, after: Int64, _ tell: @escaping ([News]) -> Void,
      _ end: @escaping (WatchEnd) -> Void
    ) {
      (self.folder, self.way, self.life, self.after, self.tell, self.end) = (
        folder, way, life, after, tell, end
      )
      last = life.clock.now
    }

    func deliver(_ change: News, after delay: Duration) {
      guard !isDeaf, change.revision > after, change.folder == folder else { return }
      stalled.append(change)
      flush(after: delay)
    }

    func flush(after delay: Duration) {
      guard !isDeaf, !way.losesAnswers, !stalled.isEmpty else { return }
      let changes = stalled
      stalled = []
      last = max(last, life.clock.now + delay)
      life.at(last) { if !self.isDeaf { self.tell(changes) } }
    }
  }

  /// Answers the number of the watch, for `leave`.
  func watch(
    _ folder: Folder, after revision: Int64, by way: StoreWay, _ life: Life,
    _ tell: @escaping ([News]) -> Void, _ end: @escaping (WatchEnd) -> Void
  ) -> Int {
    lastWatch += 1
    let id = lastWatch
    clock.after(delay) { [self] in
      if mood == .locked { return end(.trouble(StoreTrouble(.unauthenticated, "invalid auth token"))) }
      if way.losesRequests || way.losesAnswers || mood == .away || mood == .refusing {
        clock.after(Self.patience) { end(.trouble(StoreTrouble(.unreachable, "no answer"))) }
        return
      }
      // What it asks for is gone.
      if revision + 1 < content.compacted { return end(.compacted) }
      let watch = Watch(folder, way, life, after: revision, tell, end)
      watches[id] = watch
      for change in news(of: folder, after: revision) { watch.deliver(change, after: delay) }
      clock.after(.seconds(120)) { self.finish(id, .over) }
    }
    return id
  }

  private func news(of folder: Folder, after revision: Int64) -> [News] {
    switch folder {
    case .members: content.log.filter { $0.revision > revision }.map(News.card)
    case .incidents: content.incidentLog.filter { $0.changed > revision }.map(News.incident)
    }
  }

  func leave(_ id: Int) { watches[id] = nil }

  private func finish(_ id: Int, _ how: WatchEnd) { watches.removeValue(forKey: id)?.end(how) }

  /// Their connections are gone, and not all of them hear of it.
  func endWatches() {
    for id in watches.keys.sorted() {
      if dice.chance(4) {
        watches[id]?.isDeaf = true
      } else {
        clock.after(dice.time(.zero ... .seconds(2))) {
          self.finish(id, .trouble(StoreTrouble(.noQuorum, "no leader")))
        }
      }
    }
  }

  /// Those of one member say nothing any more.
  func deafen(_ way: StoreWay) {
    for watch in watches.values where watch.way === way { watch.isDeaf = true }
  }

  /// What could not come through for a while comes, or the connection has died of it.
  func reopen(_ way: StoreWay) {
    for id in watches.keys.sorted() where watches[id]?.way === way {
      if dice.chance(2) { watches[id]?.isDeaf = true } else { watches[id]?.flush(after: delay) }
    }
  }
}

/// The way of one member to the store, in every life of it.
///
/// No lock: the simulator has one thread.
final class StoreWay: @unchecked Sendable {
  var losesRequests = false
  var losesAnswers = false
  /// Only what does not fit into one packet.
  var losesLargeAnswers = false
  /// When the last request left that showed that the lease held, by what came back; nil: none in this life.
  var proof: Instant?
  private var granted: Instant?
  /// Begun so far, in all lives.
  fileprivate(set) var watches = 0
  /// What is to happen while a renewal is on its way.
  var atRenewal: (() -> Void)?

  fileprivate func note(_ answer: StoreAnswer, to request: StoreRequest, sent: Instant) {
    switch answer {
    case .granted: granted = sent
    case .claimed: proof = granted
    // The name is another's, who runs what it has.
    case .alive, .idle, .occupied: proof = sent
    default: break
    }
  }

  func heal() { (losesRequests, losesAnswers, losesLargeAnswers) = (false, false, false) }
}

/// A group as one of its machines has it.
struct GroupRoom {
  let settings: GroupSettings
  let store: LeaseStore
  let way: StoreWay
}

/// The store as one life has it.
struct LifeGroupStore: GroupStore {
  private let room: GroupRoom
  private let name: String
  private let life: Life

  init(_ room: GroupRoom, name: String, _ life: Life) {
    (self.room, self.name, self.life) = (room, name, life)
  }

  func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer {
    let (room, name, sent) = (room, name, life.clock.now)
    if case .keepAlive = request, let action = room.way.atRenewal {
      room.way.atRenewal = nil
      life.clock.after(.milliseconds(1)) { action() }
    }
    if let answer: StoreAnswer = await life.answer({ room.store.take(request, as: name, by: room.way, $0) }) {
      room.way.note(answer, to: request, sent: sent)
      return answer
    }
    guard !life.isAlive else { throw CancellationError() }
    return .trouble(StoreTrouble(.unreachable, "the process is over"))
  }

  func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd {
    let (room, life) = (room, life)
    var number = 0
    room.way.watches += 1
    let end: WatchEnd? = await life.answer {
      number = room.store.watch(
        .members, after: revision, by: room.way, life,
        { news in
          tell(news.compactMap { if case .card(let change) = $0 { change } else { nil } })
        }, $0)
    }
    room.store.leave(number)
    if let end { return end }
    guard !life.isAlive else { throw CancellationError() }
    return .trouble(StoreTrouble(.unreachable, "the process is over"))
  }

  func readList(_ head: ListHead) async throws(CancellationError) -> Result<[[UInt8]], StoreTrouble> {
    .failure(StoreTrouble(.refused, "there is no list"))
  }

  func publishList(_ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64)
    async throws(CancellationError) -> Result<Bool, StoreTrouble>
  {
    .failure(StoreTrouble(.refused, "nobody pulls a list"))
  }
}
