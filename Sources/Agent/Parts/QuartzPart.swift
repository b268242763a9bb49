// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Status

/// Delivery to the API, the list of checks from there, and with both the Quartz apps.
struct QuartzPart: AgentPart {
  /// `nil` without a Quartz backend.
  let link: QuartzLink?
  let apps: AppDesk
  private let states: ResourceStates?
  private let runs: RunNowDesk
  private let base: AgentBase

  /// - Parameter answers: what the link was made with; from now on they are of these parts.
  init(
    _ base: AgentBase, _ early: QuartzEarly, alerts: AlertDesk?, _ scheduler: CheckScheduler,
    _ runs: RunNowDesk
  ) {
    let (catalog, maintenance, time) = (base.catalog, base.maintenance, base.time)
    (link, states, self.base, self.runs) = (early.link, early.states, base, runs)
    apps = AppDesk(
      asks: AskDesk(isRunHere: base.isRunHere, log: base.log, time: time),
      alerts: base.settings.showsAlertsInApps ? alerts : nil,
      windows: {
        maintenance.forApps(
          now: time.wall(), isPosted: { catalog.isPosted($0) }, isRunHere: base.isRunHere)
      }, isRunHere: base.isRunHere, log: base.log, time: time)
    early.answers.begin(
      apps,
      AgentReporter(catalog, spool: base.outside.spool, started: { base.started }) {
        scheduler.status().lateP99
      })
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    guard let link else { return [] }
    var services: [AgentService] = []
    if let uploader = link.uploader {
      services.append { await uploader.run() }
      services.append { await apps.asks.run(perform: { await runs.run($0) }, hurry: { uploader.hurry() }) }
    }
    if let puller = link.puller { services.append { await puller.run() } }
    if let resources = link.resources {
      services.append { await resources.run() }
      if let states { services.append { await states.run(resources) } }
    }
    services.append {
      await ConnectionWatch(link, every: base.outside.looks, log: base.log, time: base.time).run()
    }
    return services
  }

  func follow(_ list: FollowedList) {
    link?.resources?.apply(list.all)
    if apps.asks.hasTakenOver() { link?.uploader?.makeContact() }
  }

  var notices: [Notice] {
    get async { (await link?.notices() ?? []) + apps.notices }
  }

  func contribute(to snapshot: inout StatusSnapshot) async {
    guard let uploader = link?.uploader else { return }
    snapshot.delivery = await uploader.status()
    snapshot.undelivered = undelivered
  }

  /// The file's checks that the API does not know.
  private var undelivered: [Notice] {
    let catalog = base.catalog
    return catalog.checks.filter { $0.enabled && !catalog.isPosted($0) }.map {
      .warning(.check($0.name), "not in the API's list, and post is not set")
    }
  }

  func flush(until deadline: Instant) async {
    await link?.uploader?.flush(within: max(.seconds(1), base.time.instant().duration(to: deadline)))
  }
}

/// The link as it is made first, for the list that it keeps is restored before anything that knows the checks.
struct QuartzEarly: Sendable {
  let link: QuartzLink?
  let states: ResourceStates?
  let answers: LinkAnswers

  init(_ base: AgentBase) async throws {
    let (settings, group) = (base.settings, base.group)
    let (answers, states) = (LinkAnswers(), ResourceStates(base))
    (self.answers, self.states) = (answers, states)
    link = try settings.quartz.map { quartz in
      try QuartzLink(
        quartz, base, sharing: group.map { Self.sharing($0, base.catalog) },
        contact: answers.contact(hasAlerts: settings.showsAlertsInApps), resources: states?.sharing,
        report: { await answers.report() })
    }
    await link?.puller?.restore()
  }

  private static func sharing(_ group: GroupDesk, _ catalog: CheckCatalog) -> CheckListPuller.Sharing {
    CheckListPuller.Sharing {
      group.pullsForAll
    } publish: {
      if await group.publish($0) { catalog.announce() }
    }
  }
}

extension Settings {
  /// The agent has alerts, and its results go where the apps read them.
  fileprivate var showsAlertsInApps: Bool { alerts != nil && quartz?.deliver.target == .quartz }
}
