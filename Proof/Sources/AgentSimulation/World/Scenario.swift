// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import QuartzAPI
import Spool

/// What a seed stands for: the configuration, and which troubles there are.
struct Scenario {
  let seed: UInt64
  let span: Duration
  /// After it all is well, so that what is to arrive can.
  static let quietEnd: Duration = .seconds(3 * 3600)
  var setup: AgentSetup
  let start: Timestamp
  let meanWell: Duration
  /// The mean time from one to the next; nil: never.
  let kills: Duration?
  let cuts: Duration?
  let stops: Duration?
  let pauses: Duration?
  let clockSteps: Duration?
  let backend: Duration?
  let pager: Duration?
  let disk: Duration?
  let reloads: Duration?
  let orders: Duration?
  /// The uplink is down, or what others depend on.
  let uplink: Duration?
  let gateway: Duration?
  /// Edits of the list that the backend gives, and its failures; nil: it gives none.
  let edits: Duration?
  /// The same of the source of targets.
  let discovery: Duration?
  /// The store is so small that it runs full while the backend is away.
  let hasSmallStore: Bool

  init(seed: UInt64, span: Duration) throws {
    var dice = Dice(seed, "scenario")
    (self.seed, self.span) = (seed, span)
    start = Timestamp(seconds: 1_767_225_600 + Int64.random(in: 0..<31_000_000, using: &dice))
    meanWell = .seconds(dice.pick([4 * 3600, 8 * 3600, 24 * 3600]))
    func sometimes(_ mean: Int64, _ dice: inout Dice) -> Duration? { dice.chance(3) ? nil : .seconds(mean) }
    kills = sometimes(15 * 3600, &dice)
    cuts = sometimes(24 * 3600, &dice)
    stops = sometimes(30 * 3600, &dice)
    pauses = sometimes(12 * 3600, &dice)
    backend = sometimes(6 * 3600, &dice)
    pager = sometimes(9 * 3600, &dice)
    disk = sometimes(18 * 3600, &dice)
    reloads = sometimes(14 * 3600, &dice)
    clockSteps = dice.chance(4) ? .seconds(36 * 3600) : nil
    hasSmallStore = dice.chance(6)
    var setup = try Self.setup(hasSmallStore, from: start, &dice)
    orders = sometimes(3 * 3600, &dice)
    gateway = sometimes(9 * 3600, &dice)
    uplink = dice.chance(2) ? .seconds(12 * 3600) : nil
    edits = dice.chance(2) ? .seconds(4 * 3600) : nil
    discovery = dice.chance(2) ? .seconds(4 * 3600) : nil
    if gateway != nil { setup.parents = ["check-1": "check-0", "check-2": "check-0", "check-3": "check-1"] }
    if uplink != nil {
      for number in 0..<Int.random(in: 1...2, using: &dice) {
        setup.canaries.append("canary-\(number)")
        setup.checks.append(
          try Self.check(20 + number, called: "canary-\(number)", every: .seconds(300), &dice))
      }
    }
    if edits != nil {
      setup.quartz.checks.pull = true
      setup.quartz.checks.every = .seconds(dice.pick([60, 120, 300]))
      setup.quartz.updateResources = true
    }
    setup.traces = dice.chance(2)
    if discovery != nil { setup.discover = [try Self.source()] }
    setup.alerts.remind = .seconds(dice.pick([300, 900, 4 * 3600]))
    self.setup = setup
  }

  private static func source() throws -> DiscoverySource {
    var definition = DiscoveryDefinition()
    definition.http = Redacted("https://cmdb.example/targets")
    definition.templates = ["web"]
    return try DiscoverySource(definition) { $0 }
  }

  private static func setup(_ hasSmallStore: Bool, from start: Timestamp, _ dice: inout Dice) throws
    -> AgentSetup
  {
    var checks: [MonitoringCheck] = []
    for number in 0..<7 { checks.append(try check(number, every: .seconds(300), &dice)) }
    checks.append(try check(7, every: .seconds(dice.pick([30, 60, 120, 120])), &dice))
    checks.append(try check(8, every: .seconds(dice.pick([900, 3600])), &dice))
    var quartz = QuartzSettings(url: try HTTPURL("https://backend.example/api"), apiKey: Redacted("key"))
    quartz.deliver.batch = dice.pick([20, 100, 500])
    quartz.deliver.every = .seconds(dice.pick([30, 60, 120]))
    var alerts = AlertSettings()
    alerts.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    alerts.rules = [AlertRule("down", .consecutiveFailures(threshold: nil, recoveries: 1), severity: .high)]
    var spool = Spool.SpoolSettings(
      path: "/store", size: hasSmallStore ? 96 << 10 : 3 << 20,
      segmentSize: hasSmallStore ? 32 << 10 : 128 << 10)
    spool.quarantineSize = 128 << 10
    return AgentSetup(
      name: "agent-\(dice.next() % 1000)", checks: checks, windows: try windows(from: start, &dice),
      spool: spool,
      quartz: quartz, alerts: alerts, alertPace: .seconds(30))
  }

  /// A check of its own id, so that each seed has other phases.
  static func check(
    _ number: Int, called name: String? = nil, every interval: Duration, _ dice: inout Dice
  ) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.id = UniqueID.v7(at: Timestamp(seconds: 1_700_000_000), using: &dice).description
    definition.name = name ?? "check-\(number)"
    definition.plan.tags = [number % 2 == 0 ? "even" : "odd"]
    definition.type = "tcp"
    definition.host = "192.0.2.\(number + 1)"
    definition.port = 80
    definition.interval = interval
    definition.timeout = .seconds(dice.pick([2, 5, 10]))
    definition.plan.post = true
    definition.plan.retries = dice.pick([0, 1, 1, 2])
    if definition.plan.retries > 0, dice.chance(2) { definition.plan.confirmDelay = .seconds(5) }
    definition.plan.failureThreshold = dice.pick([1, 2, 3])
    if dice.chance(3), interval > .seconds(60) { definition.plan.intervalFailing = .seconds(60) }
    definition.plan.responseTime.warn = .seconds(1)
    return try MonitoringCheck(definition)
  }

  private static func windows(from start: Timestamp, _ dice: inout Dice) throws -> [MaintenanceWindow] {
    try (0..<Int.random(in: 0...2, using: &dice)).map { number in
      var definition = MaintenanceDefinition()
      definition.name = "window-\(number)"
      definition.checks = ["check-\(2 * number)", "check-\(2 * number + 1)"]
      definition.start = String(
        start.advanced(by: dice.time(.seconds(3600) ... .seconds(80_000))).rfc3339.prefix(16))
      definition.duration = dice.time(.seconds(600) ... .seconds(7200))
      definition.repetition = "daily"
      definition.skip = dice.chance(2)
      return try MaintenanceWindow(definition)
    }
  }
}
