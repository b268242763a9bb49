// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Groups
import Monitoring
import Network

/// The group's store: each endpoint by itself, then what this agent may do in it. Nothing is left behind.
struct GroupFindings {
  let engine: ProbeEngine
  let group: GroupSettings
  let settings: Settings

  func all() async -> [Notice] {
    let client = EtcdClient(group, engine)
    var findings: [Notice] = []
    var isSignedIn = false
    for index in client.endpoints.indices {
      guard let look = try? await client.look(at: index, time: engine.time) else { continue }
      switch look {
      case .failure(let failure):
        findings.append(.critical("group", failure.trouble.words, hint: failure.trouble.hint))
      case .success(let look):
        findings += health(client.endpoints[index].display, look)
        guard let (finding, isIn) = await signIn(index, client) else { continue }
        findings.append(finding)
        isSignedIn = isSignedIn || isIn
      }
    }
    guard isSignedIn else { return findings }
    findings.append(await permission())
    if settings.checks.contains(where: { $0.plan.confirm != nil }) { findings.append(await places(client)) }
    return findings
  }

  /// Version, leader, space and clock of one member of the cluster.
  private func health(_ place: String, _ look: EtcdClient.Look) -> [Notice] {
    let version = look.version.isEmpty ? "of no version" : look.version
    let taken = Int(look.took.milliseconds.rounded(.up))
    var findings: [Notice] = []
    if look.isTooOld {
      findings.append(
        .critical("group", "\(place): etcd \(version) is too old", hint: "run etcd 3.4 or newer"))
    } else if !look.hasLeader {
      findings.append(
        .critical(
          "group", "\(place) (etcd \(version)) has no leader", hint: StoreTrouble(.noQuorum, "").hint))
    } else if !look.complaints.isEmpty {
      findings.append(
        .critical(
          "group", "\(place) (etcd \(version)) says: \(look.complaints.joined(separator: ", "))",
          hint: StoreTrouble(.noSpace, "").hint))
    } else {
      findings.append(
        .fine("group", "\(place): etcd \(version), has a leader, answered in \(taken) ms"))
    }
    if let ahead = look.ahead { findings.append(Self.clock(place, ahead)) }
    return findings
  }

  static func clock(_ place: String, _ ahead: Duration) -> Notice {
    let off = ahead < .zero ? .zero - ahead : ahead
    guard off > .seconds(2) else { return .fine("group", "\(place): its clock is within 2 s of this one") }
    let words = ahead > .zero ? "ahead of" : "behind"
    let seconds = Int(min(off.seconds.rounded(), 1e9))
    return .warning(
      "group", "\(place): its clock is \(seconds) s \(words) this machine's",
      hint: "nothing is decided by etcd's clock, but one of the two is wrong: chronyc tracking on both")
  }

  /// `nil` where it was not asked.
  private func signIn(_ index: Int, _ client: EtcdClient) async -> (Notice, isIn: Bool)? {
    // A client of its own: a token of one endpoint says nothing about the next one.
    let place = client.endpoints[index].display
    guard let answer = try? await EtcdClient(group, engine).signIn(at: index) else { return nil }
    switch answer {
    case .failure(let failure):
      return (.critical("group", failure.trouble.words, hint: failure.trouble.hint), false)
    case .success(true):
      let user = (group.store.user ?? "").printable(maxBytes: 100)
      return (.fine("group", "\(place): signed in as \(user)"), true)
    case .success(false) where group.store.user != nil:
      return (
        .warning(
          "group", "\(place) has no authentication: user and password are not checked",
          hint: "etcdctl auth enable; see docs/groups.md"), true
      )
    case .success(false): return (.fine("group", "\(place): no user is set"), true)
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
    card.clock = time.wall().milliseconds
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

  /// Findings for checks with `confirm`.
  private func places(_ client: EtcdClient) async -> Notice {
    let place = "\(group.prefix)v/"
    guard let trouble = await EtcdQuorum(client: client, prefix: group.prefix).obstacle() else {
      return .fine("group", "places: keys can be written and read below \(place)")
    }
    return .critical(
      "group", "places: no key can be written and read below \(place): \(trouble.words)",
      hint: trouble.kind == .denied
        ? "give the user's role this prefix, too, see docs/places.md: etcdctl role grant-permission"
        : trouble.hint)
  }

  private func refusal(_ answer: StoreAnswer, _ what: String) -> Notice {
    guard case .trouble(let trouble) = answer else { return .critical("group", what) }
    return .critical("group", "\(what): \(trouble.words)", hint: trouble.hint)
  }

  private func members(_ reading: StoreReading) -> Notice {
    let others = reading.members.filter { $0.card != nil }
    let strange = reading.members.count - others.count
    let names = others.andMore(after: 5) { $0.name.printable(maxBytes: 60) }
    let who = others.isEmpty ? "no member is in it now" : "\(others.count) in it now: \(names)"
    let words = "\(group.name): keys can be written and read, \(who)"
    guard strange > 0 else { return .fine("group", words) }
    return .warning(
      "group", "\(words); \(strange) more \(plural("key is", strange, "keys are")) not understood",
      hint: "quartz-agent group names them")
  }
}
