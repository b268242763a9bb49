// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import Network
import QuartzAPI

extension QuartzLink {
  /// The link of this agent.
  init(
    _ quartz: QuartzSettings, _ base: AgentBase, sharing: CheckListPuller.Sharing?, contact: ContactDesk,
    resources: ResourceUpdater.Sharing?, report: @escaping @Sendable () async -> AgentReport
  ) throws(QuartzSetupError) {
    let world = base.outside
    var outside = Outside(
      exchange: world.exchange, time: world.time, queue: world.spool,
      readKey: rereading(quartz.apiKeyFile), report: report
    ) { [catalog = base.catalog, maintenance = base.maintenance, log = base.log] pulled in
      log.tell(pulled.changes)
      maintenance.replace(api: pulled.windows)
      catalog.replace(
        api: pulled.checks, listed: pulled.listed, chosen: pulled.chosen, awaited: Set(pulled.awaited.keys))
    }
    (outside.sharing, outside.contact, outside.resources) = (sharing, contact, resources)
    outside.kept = { world.watched($0) }
    try self.init(quartz, base.settings, outside)
  }

  /// The way out for a few results of one command, which opens no store and keeps nothing.
  package init(
    _ quartz: QuartzSettings, _ settings: Settings, _ engine: ProbeEngine, _ handful: Handful
  ) throws(QuartzSetupError) {
    let outside = Outside(
      exchange: engine.exchange, time: engine.time, queue: handful,
      readKey: rereading(quartz.apiKeyFile), apply: { _ in })
    try self.init(quartz, settings, outside)
  }

  private init(
    _ quartz: QuartzSettings, _ settings: Settings, _ outside: Outside
  ) throws(QuartzSetupError) {
    var rules = MappingRules(quartz.checks)
    rules.limit = settings.limits.remoteChecks
    rules.minimumInterval = settings.limits.remoteIntervalMin
    rules.methods = Set(settings.egress.methods.map { ByteText($0) })
    rules.destinations.hosts = settings.limits.destinations
    if case .tcp(_, let port) = settings.status.listen, port > 0 { rules.own.ports = [port] }
    let identity = Sender(
      name: settings.agent.name, region: settings.agent.region, location: settings.group?.name,
      version: agentVersion)
    try self.init(quartz, agent: identity, rules: rules, outside: outside)
  }
}

extension ProbeEngine {
  /// The way to the API, whose addresses are closed to the checks it sends.
  var exchange: QuartzLink.Outside.Exchange {
    { [outbound, own] base in OriginExchange(to: base, over: outbound, own: own) }
  }
}

/// The key file, read again off the cooperative pool by the rules every secret file is read by.
private func rereading(_ path: String?) -> @Sendable () async -> Redacted? {
  {
    guard let path else { return nil }
    return await onThread { (try? SecretFiles.disk.read(path)).map { Redacted($0.text) } }
  }
}

/// Tells the log when delivery or the check list begins to fail, and when it works again: once a change of
/// words, not once a try.
actor ConnectionWatch {
  private let link: QuartzLink
  private let time: TimeSource
  private let pace: Duration
  private let log: Logger
  private var delivery: Notice?
  private var list: Notice?
  private var reach: Notice?
  private var resources: Notice?
  private var told: Set<Notice> = []

  static let every: Duration = .seconds(5)

  init(_ link: QuartzLink, every pace: Duration = ConnectionWatch.every, log: Logger, time: TimeSource) {
    self.link = link
    (self.time, self.pace) = (time, pace)
    self.log = log
  }

  func run() async {
    repeat { await look() } while (try? await time.sleep(for: pace)) != nil
  }

  private func look() async {
    if let uploader = link.uploader {
      tell(.delivery, await uploader.status().tally.trouble, before: &delivery)
    }
    if let updater = link.resources { tell(.resources, updater.status.trouble, before: &resources) }
    if let status = link.puller?.status {
      tell(.checkList, status.trouble ?? status.held.map { .warning(.checkList, $0) }, before: &list)
      tell(.reach, status.beyondReach, before: &reach)
      tellSkipped(status)
    }
  }

  func tell(_ place: Notice.Place, _ trouble: Notice?, before: inout Notice?) {
    defer { before = trouble }
    guard trouble != before else { return }
    if let trouble {
      log.tell(trouble, as: "\(place.text) is failing")
    } else {
      log.notice("\(place.text) works again")
    }
  }

  func tellSkipped(_ status: PullStatus) {
    for (title, notices) in [("check skipped", status.skipped), ("check changed", status.warnings)] {
      for notice in Set(notices).subtracting(told).sorted(by: { $0.place.text < $1.place.text }) {
        log.warning("\(title)", metadata: ["check": "\(notice.place.text)", "reason": "\(notice.what)"])
      }
    }
    told = Set(status.skipped + status.warnings)
  }
}
