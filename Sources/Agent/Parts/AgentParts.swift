// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import History
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool

/// The parts of one agent: made in one place, each given what it needs and nothing more.
package struct AgentParts: Sendable {
  /// All of them. They start and stand in the status in this order, and finish in the opposite one.
  let all: [any AgentPart]
  let base: AgentBase
  let refusedFile: RefusedFile
  let scheduler: CheckScheduler
  let status: AgentStatus
  private let answers: LinkAnswers

  /// - Parameter pulse: beaten by the schedule.
  init(
    _ settings: Settings, _ outside: Outside, threads: ThreadWatch, started: Timestamp, log: Logger,
    pulse: (CheckCatalog) -> SchedulerOptions.Pulse?
  ) async throws {
    let base = await AgentBase(settings, outside, started: started, log: log)
    let time = outside.time
    let early = try await QuartzEarly(base)
    let history = await HistoryPart(base)
    let traces = await TraceDesk(base, history.store)
    let incidents = IncidentDesk(base)
    let alerts = await AlertPart(base, history.store, traces, share: incidents)
    let operators = await OperatorPart(base, alerts: alerts?.desk)
    let announcements = await AnnouncementDesk(base)
    let places = PlacesPart(base, history.store)
    let recorder = Recorder(
      grid: base.grid, stamp: base.group?.stamping, history: history.store, spool: outside.spool,
      catalog: base.catalog, uploader: early.link?.uploader, resources: early.link?.resources,
      alerts: alerts?.desk, traces: traces, quorum: places?.desk, log: log)
    let schedule = SchedulePart(base, recorder, history.store, pulse: pulse(base.catalog))
    let heartbeats = HeartbeatKeeper(
      desk: outside.probes.heartbeats, disk: outside.disk, log: log, time: time)
    await heartbeats.restore()
    let probes = await ProbeDesk.make(base)
    let runs = RunNowDesk(
      probes: outside.probes, scheduler: schedule.scheduler, catalog: base.catalog,
      maintenance: base.maintenance, recorder: recorder)
    let refusedFile = RefusedFile(started: started)
    let listeners = Listeners(log: log, time: time)
    let parts: [(any AgentPart)?] = [
      threads, StorePart(base: base, delivers: early.link?.uploader != nil), DiskPart(base: base), recorder,
      history,
      MaintenancePart(base: base), refusedFile,
      GonePart(history: history.store, base: base),
      EnginePart(base: base, scheduler: schedule.scheduler),
      outside.starts.map { StartsPart(starts: $0, time: time) },
      QuartzPart(base, early, alerts: alerts?.desk, schedule.scheduler, runs),
      base.group.map { GroupPart(desk: $0, catalog: base.catalog, puller: early.link?.puller) },
      EgressPart(base: base),
      LifeSigns(settings.lifeSigns, call: outside.call, log: log, time: time) { threads.stuck.isEmpty },
      DiscoveryKeeper(settings.discover, disk: outside.disk, log: log, time: time, fetch: outside.discover),
      traces, heartbeats, places, incidents, alerts, operators, announcements,
      HourlyPart(log: log, time: time), probes, listeners,
    ]
    let status = AgentStatus(
      // The schedule takes over a list when all others have it.
      parts: parts.compactMap(\.self) + outside.further + [schedule], history: history.store,
      threads: threads, runs: runs,
      store: StoreDesk(base: base, uploader: early.link?.uploader), operators: operators.desk,
      posts: operators.posts, traces: traces, alerts: alerts?.desk, places: places, base: base)
    all = status.parts + [ServersPart(settings, status, heartbeats, probes, listeners, log)]
    (self.base, self.status, self.refusedFile, answers) = (base, status, refusedFile, early.answers)
    scheduler = schedule.scheduler
  }

  /// Without a watch over its threads and without a beat.
  package init(_ settings: Settings, _ outside: Outside, started: Timestamp, log: Logger) async throws {
    try await self.init(
      settings, outside, threads: ThreadWatch(log: log), started: started, log: log, pulse: { _ in nil })
  }

  package var history: HistoryStore { status.history }
  /// `nil` where the agent is in no group.
  package var member: GroupRunner? { base.group?.runner }
  /// Orders by hand that hold now.
  package var orders: HandBook { base.orders.current }

  /// Does what a person orders.
  package func act(_ wish: OperatorWish) async -> OperatorAnswer { await status.act(wish) }

  /// Lets go of what holds one another, where the process goes on after the agent.
  package func letGo() {
    base.catalog.observe { _ in }
    answers.end()
    // What could not be written is retried no more.
    for name in base.outside.disk.trouble?.files ?? [] { base.outside.disk.settled(name) }
  }

  /// From now on each list of checks goes to all parts, beginning with the one in force.
  package func begin() {
    let (all, catalog, group) = (all, base.catalog, base.group)
    catalog.observe { checks in
      let list = FollowedList(checks, of: catalog, in: group)
      for part in all { part.follow(list) }
    }
  }

  /// Takes over a configuration that was read again.
  package func reload(_ settings: Settings) {
    for part in all { part.apply(settings) }
    base.catalog.replace(
      file: settings.checks, canaries: settings.canaries, rules: settings.dependencies)
  }

  /// Runs until `stop` returns, and what is in flight then has ended. Everything that runs is a child of one group: the
  /// scheduler ends after its probes have, the rest meanwhile.
  ///
  /// - Returns: when it was told to stop.
  package func run(until stop: () async -> Void) async -> Instant {
    await withDiscardingTaskGroup { group in
      group.addTask { await scheduler.run() }
      for part in all {
        for service in part.services({ [status] in await status.snapshot() }) {
          group.addTask { await service() }
        }
      }
      await stop()
      group.cancelAll()
      return base.time.instant()
    }
  }

  /// Those that probes depend on.
  var threads: [WatchedThread] {
    base.outside.probes.threads + [
      WatchedThread("scheduler", limit: ThreadWatch.limit) { [scheduler] in scheduler.overdue },
      WatchedThread("store", limit: ThreadWatch.storeLimit) { [spool = base.outside.spool] in
        spool.turnAge()
      },
    ]
  }

  /// After the last probe: everything on disk, then one more upload round with the time that is left.
  package func finish(until deadline: Instant) async {
    for part in all.reversed() { await part.finish() }
    for part in all { await part.flush(until: deadline) }
  }
}
