// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import Groups
import History
import Monitoring

/// Wires the places that share a store: one verdict, and the windows of all.
struct PlacesParts: Sendable {
  let desk: QuorumDesk
  let keeper: PlaceKeeper

  /// `nil` where the agent is in no group.
  init?(
    _ settings: Settings, _ engine: ProbeEngine, _ history: HistoryStore, _ maintenance: MaintenanceBook
  ) {
    guard let group = settings.group else { return nil }
    let client = EtcdClient(group, engine)
    let time = engine.time
    desk = QuorumDesk(
      place: group.name, store: EtcdQuorum(client: client, prefix: group.prefix), ttl: group.ttl, time: time
    ) { check in
      let result = try? await engine.runNow(check, maintenance.plan)
      return result.map { result in
        // In a window somebody is at work: this place has no say.
        result.maintenance ? Verdict(result.reason, isUnknown: true) : result.ownVerdict
      }
    }
    let places = EtcdPlaces(client: client, prefix: group.prefix)
    let shares = ShareClient(
      engine: engine.curl, find: administratorsPlaces(engine, settings.egress), token: group.token)
    keeper = PlaceKeeper(
      place: group.name, agent: settings.agent.name, history: history, time: time,
      members: { await places.members(of: $0) }, fetch: { await shares.share($0, $1, $2) })
  }

  func apply(_ checks: [MonitoringCheck]) {
    desk.apply(checks)
    keeper.apply(checks)
  }

  /// Tasks that run beside the scheduler until it is cancelled.
  var services: [@Sendable () async -> Void] {
    [{ [desk] in await desk.run() }, { [keeper] in await keeper.run() }]
  }

  /// Its problems.
  var notices: [Notice] { desk.problems.map(Self.notice) }

  static func notice(_ problem: QuorumProblem) -> Notice {
    switch problem {
    case .unheard(let trouble):
      .warning(
        .group, "the other places of checks with confirm are not heard: \(trouble.words)", hint: trouble.hint)
    case .untold(let trouble):
      .warning(
        .group, "what is found here is not told to the other places: \(trouble.words)", hint: trouble.hint)
    case .strange(let keys):
      .warning(
        .group,
        "\(counted(keys.count, "key")) of the places' store \(plural("is", keys.count, "are")) "
          + "passed over, such as \(keys.example ?? "?")",
        hint:
          "no agent writes it like this: look who else writes below group.store.prefix and v/, and delete it; what is gone is "
          + "not counted any more within ten minutes")
    case .tooMany(let count):
      .warning(
        .group,
        "\(count) more votes of the places than are kept: other members' checks are not heard at once",
        hint:
          "the agent keeps those of its own checks and 200,000 of others; part the checks by group.store.prefix"
      )
    }
  }

  /// Tells each check what its places say, and what they have added up.
  func mark(_ snapshot: inout StatusSnapshot) {
    for index in snapshot.checks.indices {
      let id = snapshot.checks[index].id
      var places = keeper.places(of: id)
      let verdicts = desk.verdicts(of: id)
      if places.isEmpty {
        guard !verdicts.isEmpty else { continue }
        places = verdicts.map { PlaceStatus($0.place) }
      }
      for place in places.indices {
        places[place].isOwn = places[place].place == desk.place
        places[place].verdict = verdicts.first { $0.place == places[place].place }
      }
      snapshot.checks[index].places = places
    }
  }
}
