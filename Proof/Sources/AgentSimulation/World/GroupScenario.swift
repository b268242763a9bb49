// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import QuartzAPI
import Spool

/// What a seed of several agents stands for: who is in the group, what they share, and which troubles there are.
struct GroupScenario {
  enum Trouble: CaseIterable {
    case kill, stop, pause, cutFromStore, cutFromBackend, away, full, locked, leader, leaderAndKill, wipe,
      restore
    case compact, deafen, slow, rolling, joinAndDie, blackout, targets
    case dieInTheDark, joinUnread, pager
  }

  struct Seat {
    let name: String
    let weight: Int
    /// Its wall clock against the true one.
    let skew: Duration
  }

  let seed: UInt64
  let span: Duration
  /// After it all is well, so that what is to arrive can.
  static let quietEnd: Duration = .seconds(2400)
  let group: String
  let ttl: Duration
  let seats: [Seat]
  /// Clocks are seconds apart and more.
  let isSkewed: Bool
  let start: Timestamp
  let checks: [MonitoringCheck]
  let meanTrouble: Duration
  let troubles: [Trouble]
  let quartz: QuartzSettings

  init(seed: UInt64, span: Duration) throws {
    var dice = Dice(seed, "group scenario")
    (self.seed, self.span) = (seed, span)
    start = Timestamp(seconds: 1_767_225_600 + Int64.random(in: 0..<31_000_000, using: &dice))
    group = "group-\(dice.next() % 1000)"
    ttl = .seconds(dice.pick([5, 5, 8, 10]))
    isSkewed = dice.chance(4)
    seats = Self.seats(isSkewed, &dice)
    checks = try Self.checks(&dice)
    meanTrouble = .seconds(dice.pick([120, 200, 300]))
    let some = Trouble.allCases.filter { _ in !dice.chance(4) }
    troubles = some.isEmpty ? [.kill] : some
    var quartz = QuartzSettings(url: try HTTPURL("https://backend.example/api"), apiKey: Redacted("key"))
    quartz.deliver.batch = dice.pick([20, 100, 500])
    quartz.deliver.every = .seconds(dice.pick([30, 60, 120]))
    self.quartz = quartz
  }

  private static func seats(_ isSkewed: Bool, _ dice: inout Dice) -> [Seat] {
    let count = Int.random(in: 2...5, using: &dice)
    let weights = dice.chance(2) ? [2] : [1, 2, 3]
    var names = (0..<count).map { "agent-\($0)" }
    // One too many has a name that is another's.
    if count > 2, dice.chance(4) { names.append("agent-0") }
    return names.map { name in
      let skew = dice.time(
        isSkewed ? .seconds(-90) ... .seconds(90) : .milliseconds(-15) ... .milliseconds(15))
      return Seat(name: name, weight: dice.pick(weights), skew: skew)
    }
  }

  private static func checks(_ dice: inout Dice) throws -> [MonitoringCheck] {
    try (0..<Int.random(in: 18...26, using: &dice)).map { number in
      var definition = CheckDefinition()
      definition.id = UniqueID.v7(at: Timestamp(seconds: 1_700_000_000), using: &dice).description
      definition.name = "check-\(number)"
      definition.type = "tcp"
      definition.host = "192.0.2.\(number + 1)"
      definition.port = 80
      definition.interval = .seconds(dice.pick([15, 15, 20, 30, 30, 60, 60, 120, 300]))
      definition.timeout = .seconds(dice.pick([1, 2, 3]))
      definition.plan.post = true
      definition.plan.retries = dice.pick([0, 1])
      definition.plan.failureThreshold = dice.pick([1, 2, 3])
      return try MonitoringCheck(definition)
    }
  }

  /// What the agent of a seat is configured with; all of a group have the same file.
  func setup(_ seat: Seat) -> AgentSetup {
    var alerts = AlertSettings()
    alerts.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    alerts.rules = [AlertRule("down", .consecutiveFailures(threshold: nil, recoveries: 1), severity: .high)]
    var spool = Spool.SpoolSettings(path: "/store", size: 3 << 20, segmentSize: 128 << 10)
    spool.quarantineSize = 128 << 10
    return AgentSetup(
      name: seat.name, checks: checks, windows: [], spool: spool, quartz: quartz, alerts: alerts,
      alertPace: .seconds(3))
  }

  func settings(_ seat: Seat) -> GroupSettings {
    var settings = GroupSettings()
    settings.name = group
    settings.ttl = ttl
    settings.weight = seat.weight
    settings.share = true
    return settings
  }
}
