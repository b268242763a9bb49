// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Groups
import Monitoring

/// The group's store: each endpoint by itself, then what this agent may do in it. Nothing is left behind.
struct GroupFindings {
  let engine: ProbeEngine
  let group: GroupSettings
  let settings: Settings

  func all() async -> [Notice] {
    let client = EtcdClient(group, engine)
    var findings: [Notice] = []
    for index in client.endpoints.indices { findings.append(await endpoint(index, client)) }
    guard findings.contains(where: { $0.severity == .fine }) else { return findings }
    findings.append(await permission())
    return findings
  }

  /// Version, leader and space, of one member of the cluster.
  private func endpoint(_ index: Int, _ client: EtcdClient) async -> Notice {
    let place = client.endpoints[index].display
    let start = engine.time.instant()
    guard let answer = try? await client.once("v3/maintenance/status", Array("{}".utf8), at: index) else {
      return .warning("group", "\(place) was not asked")
    }
    switch answer {
    case .failure(let failure):
      return .critical("group", failure.trouble.words, hint: failure.trouble.hint)
    case .success(let json):
      let taken = Int(start.duration(to: engine.time.instant()).milliseconds.rounded(.up))
      let version = (json["version"]?.string ?? "unknown").printable(maxBytes: 40)
      guard let leader = json["leader"]?.string, leader != "0" else {
        let trouble = StoreTrouble(.noQuorum, "")
        return .critical("group", "\(place) (etcd \(version)) has no leader", hint: trouble.hint)
      }
      if let errors = json["errors"]?.array, !errors.isEmpty {
        let words = errors.compactMap(\.string).joined(separator: ", ").printable(maxBytes: 200)
        return .critical(
          "group", "\(place) (etcd \(version)) says: \(words)", hint: StoreTrouble(.noSpace, "").hint)
      }
      return .fine("group", "\(place): etcd \(version), has a leader, answered in \(taken) ms")
    }
  }

  /// Does what a member does, under a name that none has.
  private func permission() async -> Notice {
    let time = engine.time
    var generator = RandomPool()
    let probe = UniqueID.v7(at: time.wall(), using: &generator)
    let client = EtcdClient(group, engine)
    let store = EtcdStore(
      client: client, keys: EtcdKeys(prefix: group.prefix, group: group.name), name: "doctor")
    // Below the group's keys, and where no member looks.
    let aside = EtcdStore(
      client: client, keys: EtcdKeys(prefix: group.prefix, group: group.name + "/doctor"),
      name: probe.description)
    let place = "\(group.prefix)\(group.name)/"
    var card = MemberCard()
    (card.boot, card.home, card.weight, card.version) = (probe, probe, 0, agentVersion)
    card.clock = time.wall().microseconds / 1000
    guard let grant = try? await aside.ask(.grant(seconds: 5)) else {
      return .warning("group", "was not asked")
    }
    guard case .granted(let lease) = grant else { return refusal(grant, "no lease is granted") }
    guard let claim = try? await aside.ask(.claim(lease: lease, card: card, replacing: nil)),
      let reading = try? await store.ask(.read)
    else { return .warning("group", "was not asked") }
    _ = try? await aside.ask(.revoke(lease: lease))
    guard case .claimed = claim else {
      return refusal(claim, "no key can be written below \(place)")
    }
    guard case .read(let found) = reading else {
      return refusal(reading, "no key can be read below \(place)")
    }
    return members(found)
  }

  private func refusal(_ answer: StoreAnswer, _ what: String) -> Notice {
    guard case .trouble(let trouble) = answer else { return .critical("group", what) }
    return .critical("group", "\(what): \(trouble.words)", hint: trouble.hint)
  }

  private func members(_ reading: StoreReading) -> Notice {
    let others = reading.members
    let names = others.prefix(5).map { $0.name.printable(maxBytes: 60) }.joined(separator: ", ")
    let more = others.count > 5 ? " and \(others.count - 5) more" : ""
    let who = others.isEmpty ? "nobody is in it now" : "\(others.count) in it now: \(names)\(more)"
    return .fine("group", "\(group.name): keys can be written and read, \(who)")
  }
}
