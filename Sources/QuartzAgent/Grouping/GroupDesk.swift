// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Glibc
import Groups
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Synchronization

/// What a group is to the rest of the agent: which checks are run here, what their results are called, and who pulls
/// the list.
final class GroupDesk: Sendable {
  let grid: SlotGrid.Group
  let runner: GroupRunner
  let store: any GroupStore
  private let apiPool: String
  private let pulls: Bool
  private let log: Logger
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    /// The group's checks of the last list, and the digest of those of the file.
    var shared: [MonitoringCheck] = []
    var filePool = ""
    /// What is run, and the revision that made it ours; 0: it is not.
    var revisions: [UniqueID: Int64] = [:]
    var listProblem: Notice?
    /// Entries of the journal that the log has.
    var logged = 0
  }

  init(
    _ group: GroupSettings, _ settings: Settings, home: UniqueID, store: any GroupStore, log: Logger,
    time: TimeSource
  ) {
    grid = SlotGrid.Group(name: group.name, sharesFile: group.share)
    self.store = store
    (self.log, self.time) = (log, time)
    pulls = settings.quartz?.checks.pull == true
    apiPool = pulls ? Self.digest(of: settings) : ""
    var card = MemberCard()
    var generator = RandomPool()
    card.boot = .v7(at: time.wall(), using: &generator)
    card.home = home
    card.version = agentVersion
    card.weight = group.weight ?? Self.processors
    card.pulls = pulls
    card.url = group.url?.text
    card.pools.api = apiPool
    runner = GroupRunner(
      group: group.name, .init(name: settings.agent.name, ttl: group.ttl), card: card, store: store,
      time: time)
  }

  /// More than four have nothing to do in an agent: its loops are few.
  private static var processors: Int { min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 4) }

  /// What makes of the API's list other checks than another agent does.
  private static func digest(of settings: Settings) -> String {
    guard let quartz = settings.quartz else { return "" }
    let rules =
      "\(quartz.checks.only) \(quartz.checks.except) \(quartz.checks.pingICMP) \(quartz.checks.readBody) "
      + "\(settings.limits.remoteChecks) \(settings.limits.remoteIntervalMin) \(settings.limits.destinations) "
      + "\(settings.egress.methods)"
    return String(sha256Text(Array(rules.utf8)).prefix(16))
  }

  /// The checks that are run here, of all, and those of them whose last slots are to be run at once.
  func arrange(_ checks: [MonitoringCheck]) -> (here: [MonitoringCheck], taken: Set<UniqueID>) {
    let shared = checks.filter { $0.enabled && grid.shares($0) }
    let pool = state.withLock { state in
      if state.shared != shared {
        state.shared = shared
        state.filePool = Self.digest(of: shared.filter { $0.origin == .local })
      }
      return state.filePool
    }
    runner.follow(
      shared.map { Placement.GroupCheck($0.id, $0.origin == .api ? .api : .file) },
      pools: MemberCard.Pools(api: apiPool, file: pool))
    let assignment = runner.assignment
    state.withLock { $0.revisions = assignment.revisions }
    let here = checks.filter { !$0.enabled || !grid.shares($0) || assignment.revisions[$0.id] != nil }
    return (here, runner.takeTaken())
  }

  /// Without secrets, which do not print.
  private static func digest(of checks: [MonitoringCheck]) -> String {
    guard !checks.isEmpty else { return "" }
    let lines = checks.sorted { $0.id < $1.id }.map { "\($0)\n" }.joined()
    return String(sha256Text(Array(lines.utf8)).prefix(16))
  }

  /// What a result of the schedule gets on its way into the store.
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

  /// Names of the group's checks, for people.
  var shared: [MonitoringCheck] { state.withLock(\.shared) }

  var notices: [Notice] { runner.status.notices + [state.withLock(\.listProblem)].compactMap(\.self) }
}

// The list of checks: one member pulls it, the others have it of the store.
extension GroupDesk {
  /// Whether this agent pulls for all.
  var pullsForAll: Bool { pulls && runner.does(.listTask) { $0.pulls } }

  func publish(_ snapshot: CheckSnapshot) async {
    let (parts, leftOut) = snapshot.parts()
    let digest = sha256Text(parts.flatMap(\.self))
    let head = runner.head
    note(
      leftOut == 0
        ? nil
        : .critical(
          .group,
          "\(leftOut) checks of the list are too long for the group's store: the other members do not have them",
          hint: "shorten their urls, headers or keywords to less than 48 KiB"))
    guard head?.sha256 != digest else { return }
    // Greater than the last, and nobody else's: two that publish at once must not write into one another's parts.
    let now = time.wall().microseconds / 1000 * 1024 + Int64.random(in: 0..<1024)
    let version = max(now, (head?.version ?? 0) + 1)
    let fresh = ListHead(version: version, parts: parts.count, sha256: digest)
    guard let result = try? await store.publishList(fresh, parts, replacing: head?.revision ?? 0) else {
      return
    }
    switch result {
    case .success(let isFirst):
      if isFirst {
        log.info("the group's list was published", metadata: ["checks": "\(snapshot.checks.count)"])
      }
    case .failure(let trouble):
      note(.warning(.group, "the list was not published to the group: \(trouble.words)", hint: trouble.hint))
    }
  }

  /// There is another list in the store.
  func take(_ head: ListHead?, _ puller: CheckListPuller?) async {
    guard let head, let puller else { return }
    // Who pulls has the newer one, but for a start without the API.
    if pullsForAll, puller.status.lastSuccess != nil { return }
    for _ in 0..<5 {
      guard let result = try? await store.readList(head) else { return }
      switch result {
      case .success(let parts):
        guard let snapshot = CheckSnapshot(parts: parts) else {
          return note(.warning(.group, "the group's list in the store is not understood: the old one stays"))
        }
        let problem = await puller.take(shared: snapshot)
        return note(problem.map { .warning(.group, "the group's list is not put in force: \($0)") })
      case .failure(let trouble):
        note(.warning(.group, "the group's list cannot be read: \(trouble.words)", hint: trouble.hint))
        // A newer one is read for itself.
        guard runner.head == head, (try? await time.sleep(for: .seconds(2))) != nil else { return }
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
    await runner.run(observer)
  }

  /// What the group's journal has that the log has not.
  private func tellLog() {
    let journal = runner.journal
    let news = state.withLock { state in
      defer { state.logged = journal.total }
      return journal.entries.suffix(max(0, journal.total - state.logged))
    }
    for entry in news {
      let level: Logger.Level = entry.what == .alone || entry.what == .newWorld ? .warning : .notice
      log.log(level: level, "group: \(entry.what.words)", metadata: ["view": "\(entry.revision)"])
    }
  }

  private func note(_ notice: Notice?) { state.withLock { $0.listProblem = notice } }
}

extension GroupDesk {
  /// Nil: the agent is on its own.
  static func make(_ settings: Settings, _ engine: ProbeEngine, _ log: Logger) async -> GroupDesk? {
    guard let group = settings.group else { return nil }
    let home = await Self.home(in: settings.agent.stateDir, log, engine.time)
    return GroupDesk(
      group, settings, home: home, store: EtcdStore(group, settings, engine), log: log, time: engine.time)
  }

  /// Of the state directory, which one process has at a time: a restart is known by it.
  private static func home(in folder: String, _ log: Logger, _ time: TimeSource) async -> UniqueID {
    let file = StateFile(path: folder + "/group-home", maxBytes: 64)
    do throws(StateFile.Failure) {
      if let bytes = try await file.read(), let id = UniqueID(String(decoding: bytes, as: UTF8.self)) {
        return id
      }
    } catch {
      log.warning("the group's mark in the state directory cannot be read", metadata: ["problem": "\(error)"])
    }
    var generator = RandomPool()
    let id = UniqueID.v7(at: time.wall(), using: &generator)
    do throws(StateFile.Failure) { try await file.write(Array(id.description.utf8)) } catch {
      log.warning(
        "the group's mark in the state directory cannot be written: a restart waits for its old lease",
        metadata: ["problem": "\(error)"])
    }
    return id
  }
}

extension EtcdStore {
  init(_ group: GroupSettings, _ settings: Settings, _ engine: ProbeEngine) {
    self.init(
      client: EtcdClient(group, engine), keys: EtcdKeys(prefix: group.prefix, group: group.name),
      name: settings.agent.name)
  }
}

extension EtcdClient {
  convenience init(_ group: GroupSettings, _ engine: ProbeEngine) {
    let tls = group.store.tls
    let resolve = engine.resolver.forRequests(nil, engine.time)
    self.init(
      EtcdSettings(
        endpoints: group.store.etcd, user: group.store.user, password: group.store.password,
        tls: TLSOptions(
          caFile: tls.caFile, clientCertificate: tls.clientCertificate, clientKey: tls.clientKey)),
      userAgent: userAgent, engine: engine.curl
    ) { host, port in
      await resolve(host, port).mapError { EndpointFailure($0.message) }
    }
  }
}
