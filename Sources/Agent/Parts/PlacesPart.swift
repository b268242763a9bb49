// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Groups
import History
import Monitoring
import Status

/// The places that share a store: one verdict, and the windows of all.
struct PlacesPart: AgentPart {
  let desk: QuorumDesk
  let keeper: PlaceKeeper

  /// `nil` where the agent is in no group.
  init?(_ base: AgentBase, _ history: HistoryStore) {
    guard let group = base.settings.group, let member = base.group?.runner,
      let stores = base.outside.stores?.places
    else { return nil }
    let (time, probes, maintenance) = (base.time, base.outside.probes, base.maintenance)
    desk = QuorumDesk(
      place: group.name, store: stores.votes, lease: member, ttl: group.ttl, time: time
    ) { check in
      let result = try? await probes.runNow(check, maintenance.plan, isAsked: false)
      return result.map(Self.verdict)
    }
    keeper = PlaceKeeper(
      place: group.name, agent: base.settings.agent.name, history: history, time: time,
      members: { place in
        // Of its own group the member knows it.
        if ByteText(place) == ByteText(group.name), let own = member.members { return own }
        return await stores.members(place)
      }, fetch: stores.fetch)
  }

  /// The verdict on a result that the other places are told.
  static func verdict(of result: CheckResult) -> Verdict {
    // Work on it is under way in a window: this place has no say.
    result.maintenance ? Verdict(result.reason, isUnknown: true) : result.ownVerdict
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [{ [desk] in await desk.run() }, { [keeper] in await keeper.run() }]
  }

  func follow(_ list: FollowedList) {
    desk.apply(list.here)
    keeper.apply(list.here)
  }

  func finish() async { await desk.drain() }

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
        "\(counted(count, "more vote", "more votes")) of the places than are kept: other members' checks are not heard at once",
        hint:
          "the agent keeps those of its own checks and 200,000 of others; part the checks by group.store.prefix"
      )
    }
  }

  /// Tells each check what its places say, and what they have added up.
  func contribute(to snapshot: inout StatusSnapshot) {
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
