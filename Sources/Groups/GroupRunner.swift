// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Drives a `GroupMember`: asks the store what it wants to ask, tells it what came, and when time has passed.
package final class GroupRunner: Sendable {
  /// Receives changes; called from any thread, never under a lock.
  package struct Observer: Sendable {
    /// Which checks to run: see `GroupRunner.assignment`.
    package var arrange: @Sendable () async -> Void
    /// There is another list of checks; nil: there is none.
    package var list: @Sendable (ListHead?) async -> Void

    package init(
      arrange: @escaping @Sendable () async -> Void,
      list: @escaping @Sendable (ListHead?) async -> Void = { _ in }
    ) {
      (self.arrange, self.list) = (arrange, list)
    }
  }

  private enum Work: Sendable {
    case event(GroupMember.Event)
    case placed(PlacementJob)
    case done
  }

  package let group: String
  package let name: String
  private let ttl: Duration
  private let store: any GroupStore
  private let time: TimeSource
  private let member: Mutex<GroupMember>
  private let works: AsyncStream<Work>
  private let inbox: AsyncStream<Work>.Continuation

  /// How often time is looked at.
  static let pulse: Duration = .milliseconds(200)

  package init(
    group: String, _ settings: GroupMember.Settings, card: MemberCard, recalling memory: GroupMemory? = nil,
    store: any GroupStore, time: TimeSource
  ) {
    self.group = group
    name = settings.name
    ttl = settings.ttl
    self.store = store
    self.time = time
    var member = GroupMember(settings, card: card, at: time.reading())
    if let memory { member.recall(memory) }
    self.member = Mutex(member)
    (works, inbox) = AsyncStream<Work>.makeStream(bufferingPolicy: .unbounded)
  }

  /// The checks that may be divided, before `run` and at each change.
  package func follow(_ checks: [Placement.GroupCheck], pools: MemberCard.Pools) {
    // At once, and not by the inbox: the caller asks for the assignment next.
    let (actions, waits) = member.withLock { member in
      let now = time.reading()
      let actions = member.handle(.pools(pools), at: now) + member.handle(.checks(checks), at: now)
      return (actions, member.hasJob)
    }
    // The caller arranges anyway.
    if waits || actions.contains(where: { $0 != .arrange }) { inbox.yield(.event(.tick)) }
    pending.withLock { $0 += actions.filter { $0 != .arrange } }
  }

  /// Made outside of `run`, for it to do.
  private let pending = Mutex<[GroupMember.Action]>([])

  package var assignment: GroupAssignment { member.withLock { $0.assignment } }

  /// False: who has what is not known yet, for this process has just begun.
  package var isPlaced: Bool { member.withLock { $0.isPlaced } }

  /// Of the newest view in effect that may have moved a check; 0: there is none.
  package var placedRevision: Int64 { member.withLock { $0.pending == nil ? $0.view?.placed ?? 0 : 0 } }

  func look<Value: Sendable>(_ body: (borrowing GroupMember) -> Value) -> Value {
    member.withLock { body($0) }
  }

  package func takeTaken() -> Set<UniqueID> { member.withLock { $0.takeTaken() } }

  package func does(_ task: UniqueID, where isFit: (MemberCard) -> Bool = { _ in true }) -> Bool {
    member.withLock { $0.does(task, where: isFit) }
  }

  /// The view to keep on disk. `nil` where none is known to hold now.
  package func remembered(root: String) -> GroupMemory? {
    member.withLock { $0.remembered(root: root, at: time.wall()) }
  }

  package var journal: GroupJournal { member.withLock { $0.journal } }

  /// The picture of now, for people.
  package var status: GroupStatus {
    member.withLock { GroupStatus($0, group: group, root: store.root) }
  }

  /// A check with who has it.
  package struct PlacedCheck: Hashable, Sendable {
    package var id: UniqueID
    package var owner: String?
    package var standby: String?
    /// Run by this member, as its own or not.
    package var isHere: Bool
  }

  /// In the order of the list.
  package var placed: [PlacedCheck] {
    member.withLock { member in
      let revisions = member.assignment.revisions
      return (0..<member.placement.count).map { position in
        let id = member.placement.id(position)
        return PlacedCheck(
          id: id, owner: member.placement.owner(position), standby: member.placement.standby(position),
          isHere: revisions[id] != nil)
      }
    }
  }

  /// See `GroupMember.takeArrangement`.
  package func takeArrangement() -> (
    assignment: GroupAssignment, taken: Set<UniqueID>, orphaned: [UniqueID: Duration]
  ) {
    let now = time.instant()
    return member.withLock { $0.takeArrangement(at: now) }
  }

  /// The list that the store names is in force.
  package func listed() { inbox.yield(.event(.listed)) }

  package func ended(_ lease: Int64) { inbox.yield(.event(.leaseEnded(lease))) }

  /// Of the key of the list's head, whatever it says; 0: there is none.
  package var headRevision: Int64 { member.withLock { $0.headRevision } }

  /// The checks that this member does not run: how many by whom, and the first of them with their owners.
  package func elsewhere(most: Int) -> (
    shares: [(owner: String?, checks: Int)], first: [(id: UniqueID, owner: String?)]
  ) {
    member.withLock { member in
      // Before it is known who has what, nothing is said.
      guard member.isPlaced else { return ([], []) }
      let revisions = member.assignment.revisions
      var counts: [Int32: Int] = [:]
      var first: [(id: UniqueID, owner: String?)] = []
      for position in 0..<member.placement.count {
        let check = member.placement.id(position)
        guard revisions[check] == nil else { continue }
        counts[member.placement.ownerPlace(position), default: 0] += 1
        if first.count < most { first.append((check, member.placement.owner(position))) }
      }
      return (counts.map { (member.placement.name($0.key), $0.value) }, first)
    }
  }

  package var head: ListHead? { member.withLock { $0.head } }

  /// The runs that come next are told to a process that may have stood still: a lease that has ended meanwhile is
  /// noticed before them.
  package func lookAtClock() {
    guard member.withLock({ $0.isLate(at: time.instant()) }) else { return }
    inbox.yield(.event(.tick))
  }

  /// Until its task is cancelled; then it leaves, for some seconds at most.
  package func run(_ observer: Observer) async {
    // A task of its own, since a cancelled task could ask nothing more.
    await withTaskCancellationHandler {
      await Task { await self.live(observer) }.value
    } onCancel: {
      inbox.yield(.event(.leave))
    }
  }

  private func live(_ observer: Observer) async {
    await withDiscardingTaskGroup { group in
      let arranging = Bell(), listing = Bell()
      group.addTask { [inbox, time] in
        inbox.yield(.event(.tick))
        while (try? await time.sleep(for: Self.pulse)) != nil { inbox.yield(.event(.tick)) }
      }
      group.addTask { for await _ in arranging.rings { await observer.arrange() } }
      group.addTask { for await _ in listing.rings { await observer.list(self.head) } }
      var watch: Task<Void, Never>?
      for await work in works {
        if case .done = work { break }
        let (actions, job) = take(work)
        if let job { group.addTask { await self.place(job) } }
        for action in actions {
          switch action {
          case .ask(let number, let request): group.addTask { await self.ask(number, request) }
          case .watch(let number, let revision):
            watch?.cancel()
            watch = Task { await self.watch(number, after: revision) }
          case .arrange: arranging.ring()
          case .list: listing.ring()
          case .done: inbox.yield(.done)
          }
        }
      }
      watch?.cancel()
      group.cancelAll()
    }
  }

  private func take(_ work: Work) -> (actions: [GroupMember.Action], job: PlacementJob?) {
    let older = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    return member.withLock { member in
      let now = time.reading()
      let actions =
        switch work {
        case .event(let event): member.handle(event, at: now)
        case .placed(let job): member.finish(job, at: now)
        case .done: [GroupMember.Action]()
        }
      return (older + actions, member.takeJob())
    }
  }

  /// Long work, on a thread of its own.
  private func place(_ job: PlacementJob) async {
    let done = await onThread {
      var job = job
      job.run()
      return job
    }
    inbox.yield(.placed(done))
  }

  private func ask(_ number: Int, _ request: StoreRequest) async {
    guard let answer = try? await store.ask(request) else { return }
    inbox.yield(.event(.answer(number, answer)))
  }

  private func watch(_ number: Int, after revision: Int64) async {
    let end = try? await store.watch(after: revision) { [inbox] changes in
      inbox.yield(.event(.changes(watch: number, changes)))
    }
    if let end { inbox.yield(.event(.watchEnded(number, end))) }
  }
}

extension GroupMember {
  /// The lease may have ended, and the store has not said so yet.
  func isLate(at now: Instant) -> Bool { alone == nil && lastOK.duration(to: now) > settings.ttl }
}
