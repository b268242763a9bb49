// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Glibc
import Groups
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Synchronization

/// The group, for the rest of the agent: the checks that run here, the ids of their results, and which member pulls the
/// list.
final class GroupDesk: Sendable {
  let grid: SlotGrid.Group
  let runner: GroupRunner
  let store: any GroupStore
  let section: GroupSettings
  /// `nil` where nothing is kept for a start without the store.
  private let memory: GroupMemoryFile?
  private let apiPool: String
  private let pulls: Bool
  private let notifies: Bool
  private let log: Logger
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    /// The group's checks of the last list, and the digest of those of the file.
    var shared: [MonitoringCheck] = []
    var sharedIDs: Set<UniqueID> = []
    /// Checks that the others should have, and this agent has not.
    var without: Set<UniqueID> = []
    var filePool = ""
    /// How often what is run, or may be, has changed.
    var arrangements = 0
    /// Checks that run here, and the revision that made each ours; 0 where it is not.
    var revisions: [UniqueID: Int64] = [:]
    var listProblem: Notice?
    /// Checks of the list that the store has no room for: of all members only who pulls knows them.
    var unpublished: Set<UniqueID> = []
    /// Lists in a row that were not published, since another member was first.
    var lostRaces = 0
    /// Entries of the journal that the log has.
    var logged = 0
  }

  init(
    _ group: GroupSettings, _ settings: Settings, home: Home, memory: GroupMemoryFile? = nil,
    recalling recalled: GroupMemory? = nil, store: any GroupStore, log: Logger, time: TimeSource
  ) {
    grid = SlotGrid.Group(name: group.name, sharesFile: group.share)
    (self.store, self.memory, section) = (store, memory, group)
    (self.log, self.time) = (log, time)
    pulls = settings.quartz?.checks.pull == true
    notifies = settings.alerts != nil
    apiPool = pulls ? Self.digest(of: settings) : ""
    var card = MemberCard()
    var generator = RandomPool()
    card.boot = .v7(at: time.wall(), using: &generator)
    card.home = home.id
    card.version = agentVersion
    card.weight = group.weight ?? Self.processors
    card.pulls = pulls
    card.url = group.url?.text
    card.alerts = notifies
    card.pools.api = Self.pool(apiPool, notifies)
    var member = GroupMember.Settings(
      name: settings.agent.name, ttl: group.ttl, isReturning: home.isOld)
    member.awaitsList = pulls
    runner = GroupRunner(
      group: group.name, member, card: card, recalling: recalled, store: store, time: time)
  }

  /// A member without alerts divides no checks with those that have some: what it runs is told by none.
  private static func pool(_ digest: String, _ notifies: Bool) -> String {
    digest.isEmpty || notifies ? digest : digest + " without alerts"
  }

  /// More than four have nothing to do in an agent: its loops are few.
  private static var processors: Int { min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 4) }

  /// Digest of the settings that change which checks the API's list gives.
  private static func digest(of settings: Settings) -> String {
    guard let quartz = settings.quartz else { return "" }
    let rules =
      "\(quartz.checks.only) \(quartz.checks.except) \(quartz.checks.pingICMP) \(quartz.checks.readBody) "
      + "\(settings.limits.remoteChecks) \(settings.limits.remoteIntervalMin) \(settings.limits.destinations) "
      + "\(settings.egress.methods)"
    return String(sha256Text(Array(rules.utf8)).prefix(16))
  }

  /// Of the state directory, which one process has at a time: a restart is known by it.
  struct Home: Sendable {
    var id: UniqueID
    /// It was there before this start.
    var isOld: Bool
  }

  /// The checks that run here.
  struct Arrangement {
    var here: [MonitoringCheck]
    /// Those of them whose last slots are to be run at once.
    var taken: Set<UniqueID> = []
    /// Those of these whose agent has died, and for how long they may not have run.
    var orphaned: [UniqueID: Duration] = [:]
  }

  /// - Parameter chosen: the API's checks that all members should have; those that are not among `checks` are left to others.
  func arrange(_ checks: [MonitoringCheck], of chosen: Set<UniqueID> = []) -> Arrangement {
    let unpublished = state.withLock(\.unpublished)
    let shared = checks.filter { $0.enabled && grid.shares($0) && !unpublished.contains($0.id) }
    let without = chosen.subtracting(checks.filter { $0.origin == .api }.map(\.id))
    let pool = state.withLock { state in
      if state.without != without {
        state.without = without
        state.arrangements += 1
      }
      if state.shared != shared {
        state.shared = shared
        state.sharedIDs = Set(shared.map(\.id))
        state.arrangements += 1
        state.filePool = PoolDigest.of(shared.filter { $0.origin == .local })
      }
      return state.filePool
    }
    runner.follow(
      shared.map { Placement.GroupCheck($0.id, $0.origin == .api ? .api : .file) },
      pools: PoolDigest.pools(
        api: Self.pool(apiPool, notifies), file: Self.pool(pool, notifies), without: without))
    let (assignment, taken, orphaned) = runner.takeArrangement()
    state.withLock { state in
      if state.revisions != assignment.revisions { state.arrangements += 1 }
      state.revisions = assignment.revisions
    }
    let here = checks.filter {
      !$0.enabled || !grid.shares($0) || unpublished.contains($0.id) || assignment.revisions[$0.id] != nil
    }
    return Arrangement(here: here, taken: taken, orphaned: orphaned)
  }

  /// Marks a result of the schedule on its way into the store.
  var stamping: @Sendable (inout DeliveryRecord, MonitoringCheck) -> Void {
    { record, check in self.stamp(&record, of: check) }
  }

  /// Gives a result of the schedule the name of its slot.
  private func stamp(_ record: inout DeliveryRecord, of check: MonitoringCheck) {
    guard record.trigger == .schedule, grid.shares(check) else { return }
    record.wireID = SlotID.id(group: grid.name, check: check.id, slot: record.scheduledAt)
    let revision = state.withLock { $0.revisions[check.id] } ?? 0
    record.ownerRevision = revision > 0 ? revision : nil
  }

  /// The group's checks, and how often who runs them has changed.
  var names: IncidentNames { IncidentNames(group: grid.name, checks: state.withLock(\.sharedIDs)) }
  var arrangements: Int { state.withLock(\.arrangements) }

  func role(of check: UniqueID, isListed: (UniqueID) -> Bool) -> ShareRole {
    let (isShared, revision) = state.withLock { state in
      (state.sharedIDs.contains(check) || state.without.contains(check), state.revisions[check])
    }
    guard isShared else { return isListed(check) ? .own : .unlisted }
    guard let revision else { return .elsewhere }
    return revision > 0 ? .owner : .assistant
  }

  /// Names of the group's checks, for people.
  var shared: [MonitoringCheck] { state.withLock(\.shared) }

  var notices: [Notice] { runner.status.notices + [state.withLock(\.listProblem)].compactMap(\.self) }
}

// The list of checks: one member pulls it, the others have it of the store.
extension GroupDesk {
  /// Whether this agent pulls for all.
  var pullsForAll: Bool { pulls && runner.does(.listTask) { $0.pulls } }

  /// - Returns: whether what is to be run here is another now.
  func publish(_ snapshot: CheckSnapshot) async -> Bool {
    let (parts, leftOut) = snapshot.parts()
    let isOther = state.withLock { state in
      defer { state.unpublished = leftOut }
      return state.unpublished != leftOut
    }
    note(
      leftOut.isEmpty
        ? nil
        : .warning(
          .group,
          "\(counted(leftOut.count, "check of the list is", "checks of the list are")) too long for the group's store: only the member that pulls the list runs them",
          hint: "shorten their urls, headers or keywords to less than 48 KiB"))
    await publish(parts, of: snapshot)
    return isOther
  }

  private func publish(_ parts: [[UInt8]], of snapshot: CheckSnapshot) async {
    let digest = sha256Text(parts.flatMap(\.self))
    let head = runner.head
    // It is in force here, whether or not the others have it.
    defer { runner.listed() }
    guard head?.sha256 != digest else { return }
    // Greater than the last, and nobody else's: two that publish at once must not write into one another's parts.
    let now = time.wall().milliseconds * 1024 + Int64.random(in: 0..<1024)
    let version = max(now, (head?.version ?? 0) + 1)
    let fresh = ListHead(version: version, parts: parts.count, sha256: digest)
    guard let result = try? await store.publishList(fresh, parts, replacing: runner.headRevision) else {
      return
    }
    switch result {
    case .success(let isFirst):
      noteRace(isLost: !isFirst)
      if isFirst {
        log.info("the group's list was published", metadata: ["checks": "\(snapshot.checks.count)"])
      }
    case .failure(let trouble):
      note(.warning(.group, "the list was not published to the group: \(trouble.words)", hint: trouble.hint))
    }
  }

  /// Once is nothing: two may pull while who does it changes.
  private func noteRace(isLost: Bool) {
    let lost = state.withLock { state in
      state.lostRaces = isLost ? state.lostRaces.bounded(plus: 1) : 0
      return state.lostRaces
    }
    guard lost >= 3 else { return }
    note(
      .warning(
        .group,
        "the list was not published to the group: something else writes its c/head, \(lost) times in a row",
        hint: "see who writes below the group's prefix in etcd: one member pulls the list for all"))
  }

  /// There is another list in the store.
  func take(_ head: ListHead?, _ puller: CheckListPuller?) async {
    guard let head, let puller else { return }
    // Who pulls has the newer one, but for a start without the API.
    if pullsForAll, puller.status.lastSuccess != nil, !puller.status.isFromDisk { return }
    // Until it is there: others run this member's share of it meanwhile.
    for attempt in 0..<Int.max {
      guard let result = try? await store.readList(head) else { return }
      switch result {
      case .success(let parts):
        guard let snapshot = CheckSnapshot(parts: parts) else {
          return note(.warning(.group, "the group's list in the store is not understood: the old one stays"))
        }
        let problem = await puller.take(shared: snapshot)
        note(problem.map { .warning(.group, "the group's list is not applied: \($0)") })
        guard problem != nil else {
          state.withLock { $0.unpublished = [] }
          return runner.listed()
        }
        // A list that shrank at once is believed when it stays so.
        guard (try? await time.sleep(for: .seconds(60))) != nil, runner.head == head else { return }
      case .failure(let trouble):
        note(.warning(.group, "the group's list cannot be read: \(trouble.words)", hint: trouble.hint))
        // A newer one is read for itself.
        guard runner.head == head, (try? await time.sleep(for: .seconds(attempt < 5 ? 2 : 10))) != nil else {
          return
        }
      }
    }
  }

  /// Until its task is cancelled; then it leaves the group.
  func run(_ catalog: CheckCatalog, _ puller: CheckListPuller?) async {
    let observer = GroupRunner.Observer {
      self.tellLog()
      catalog.announce()
    } list: { head in
      await self.take(head, puller)
    }
    // Its last word is of before the member leaves.
    let keeping = memory.map { [runner] memory in Task { await memory.keep(runner) } }
    await runner.run(observer)
    keeping?.cancel()
  }

  /// Logs the new entries of the group's journal.
  private func tellLog() {
    let journal = runner.journal
    let news = state.withLock { state in
      defer { state.logged = journal.total }
      return journal.entries.suffix(max(0, journal.total - state.logged))
    }
    for entry in news {
      let isWarning = [.alone, .unreached, .newWorld, .nameTaken].contains(entry.what)
      log.log(
        level: isWarning ? .warning : .notice, "group: \(entry.what.words)",
        metadata: Self.facts(of: entry.what, entry.revision, journal.trouble?.what))
    }
  }

  /// - Parameter trouble: why the store does not answer; it is told where the member goes on alone.
  static func facts(of what: GroupJournal.What, _ view: Int64, _ trouble: StoreTrouble?) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["view": "\(view)"]
    if what == .alone || what == .unreached, let trouble {
      metadata["problem"] = "\(trouble.words)"
      metadata["hint"] = "\(trouble.hint)"
    }
    return metadata
  }

  private func note(_ notice: Notice?) { state.withLock { $0.listProblem = notice } }
}
