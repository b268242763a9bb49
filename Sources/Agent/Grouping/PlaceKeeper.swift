// SPDX-License-Identifier: MIT

import Basics
import Curl
import Groups
import History
import Monitoring
import Network
import Status
import Synchronization

/// Adds up the members' windows of a check in each place: the windows of the group, and the same check from several
/// places.
///
/// Of the checks with `confirm` the first are followed all the time, so that status and metrics have their figures; any
/// other's members are asked on request. A member that does not answer in time lowers coverage.
final class PlaceKeeper: Sendable {
  /// Members of a place; nil: that cannot be told now.
  typealias Members = @Sendable (_ place: String) async -> [PlaceMember]?
  /// A member's share of a check's windows that end at the instant. `nil` where it gives none.
  typealias Fetch = @Sendable (_ url: String, _ check: UniqueID, _ at: Timestamp) async -> WindowShare?

  /// The group's name, which is the place's.
  private let place: String
  /// The agent's name.
  private let agent: String
  private let history: HistoryStore
  private let members: Members
  private let fetch: Fetch
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    var checks: [UniqueID: [String]] = [:]
    /// In the order of the configuration.
    var followed: [UniqueID] = []
    var known: [UniqueID: Known] = [:]
    var members: [String: (list: [PlaceMember], at: Instant)] = [:]  // own text
  }

  private struct Known {
    var places: [PlaceStatus]
    var at: Instant
  }

  /// Time for which a sum is used.
  static let age: Duration = .seconds(30)
  static let every: Duration = .seconds(60)
  /// After the start: the first probes have run, here and there.
  private static let settling: Duration = .seconds(10)
  /// Checks that are asked for at once.
  private static let atOnce = 4

  init(
    place: String, agent: String, history: HistoryStore, time: TimeSource, members: @escaping Members,
    fetch: @escaping Fetch
  ) {
    (self.place, self.agent, self.history, self.time) = (place, agent, history, time)
    (self.members, self.fetch) = (members, fetch)
  }

  /// Takes over other checks.
  func apply(_ checks: [MonitoringCheck]) {
    state.withLock { state in
      state.checks = [:]
      for check in checks where check.enabled {
        state.checks[check.id] = check.plan.confirm?.of ?? [place]
      }
      state.followed = Array(
        checks.filter { $0.enabled && $0.plan.confirm != nil }.map(\.id).prefix(PlaceStatus.followed))
      state.known = state.known.filter { state.checks[$0.key] != nil }
      let places = Set(state.checks.values.joined().map { ByteText($0) })
      state.members = state.members.filter { places.contains(ByteText($0.key)) }
    }
  }

  /// The latest sums; empty where there are none.
  func places(of check: UniqueID) -> [PlaceStatus] { state.withLock { $0.known[check]?.places ?? [] } }

  /// Until the task is cancelled.
  func run() async {
    guard (try? await time.sleep(for: Self.settling)) != nil else { return }
    repeat {
      var rest = state.withLock { $0.followed }[...]
      while !rest.isEmpty, !Task.isCancelled {
        let next = rest.prefix(Self.atOnce)
        rest = rest.dropFirst(Self.atOnce)
        await withDiscardingTaskGroup { group in
          for check in next { group.addTask { await self.ask(check) } }
        }
      }
    } while (try? await time.sleep(for: Self.every)) != nil
  }

  /// Asks the members of all places of a check, unless that was done a moment ago.
  func ask(_ check: UniqueID) async {
    let now = time.instant()
    let names = state.withLock { state -> [String]? in
      if let known = state.known[check], known.at.duration(to: now) < Self.age { return nil }
      return state.checks[check]
    }
    guard let names else { return }
    let at = time.wall()
    let places = await withTaskGroup(of: (Int, PlaceStatus).self) { group in
      for (number, name) in names.enumerated() {
        group.addTask { (number, await self.status(of: name, check, at: at)) }
      }
      var places: [(Int, PlaceStatus)] = []
      for await place in group { places.append(place) }
      return places.sorted { $0.0 < $1.0 }.map(\.1)
    }
    state.withLock { state in
      guard state.checks[check] != nil else { return }
      state.known[check] = Known(places: places, at: now)
    }
  }

  private func status(of name: String, _ check: UniqueID, at: Timestamp) async -> PlaceStatus {
    var status = PlaceStatus(name)
    status.isOwn = name == place
    var shares: [WindowShare] = []
    if status.isOwn, let share = history.share(of: check, now: at) { shares.append(share) }
    for (member, share) in await answers(of: name, check, at: at) {
      if let share { shares.append(share) } else { status.absent.append(member) }
    }
    status.members = shares.count
    status.absent.sort()
    status.windows = WindowShare.merged(shares, now: at) ?? []
    return status
  }

  /// Of all members but this agent.
  private func answers(
    of name: String, _ check: UniqueID, at: Timestamp
  ) async -> [(member: String, share: WindowShare?)] {
    let others = await list(name).filter { name != place || $0.name != agent }
    return await withTaskGroup(of: (String, WindowShare?).self) { group in
      for member in others {
        group.addTask {
          guard let url = member.url else { return (member.name, nil) }
          return (member.name, await self.fetch(url, check, at))
        }
      }
      var answers: [(String, WindowShare?)] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
  }

  /// Those of before while the store is away.
  private func list(_ place: String) async -> [PlaceMember] {
    let now = time.instant()
    let known = state.withLock { $0.members[place] }
    if let known, known.at.duration(to: now) < Self.age { return known.list }
    guard let list = await members(place) else { return known?.list ?? [] }
    state.withLock { $0.members[place] = (list, now) }
    return list
  }
}

/// Asks a member over the engine of the probes, where the administrator's rules let it. It is asked for windows alone: no
/// probe goes to such a URL.
struct ShareClient: Sendable {
  let outbound: Outbound
  let rules: OutboundRules
  /// Shown to members; nil: they let anybody read.
  let token: Redacted?

  var patience: Duration = .seconds(3)
  /// Of the whole answer: twice a share's, as it is in base 16.
  private static let limit = 2 * WindowShare.limit + 1024

  func share(_ url: String, _ check: UniqueID, _ at: Timestamp) async -> WindowShare? {
    guard let base = try? HTTPURL(url) else { return nil }
    let place = base.appending("api/v1/checks/\(check)/share", query: "at=\(at.microseconds)")
    var request = TransferRequest(url: place.text, timeout: patience, goal: .body(limit: Self.limit))
    request.origin = WorkOrigin(.group)
    let reply = try? await outbound.ask(request, rules) { addresses in
      guard let token, addresses.allSatisfy({ Self.mayShow(tokenTo: base, at: $0) }) else { return [] }
      return [HeaderField("Authorization", "Bearer \(token.reveal())")]
    }
    guard case .success(let answer) = reply else { return nil }
    switch answer.status {
    case 200: return Self.read(answer.body, check, at)
    // It has never run this check, which is no absence.
    case 404 where answer.header("server") == "quartz-agent": return WindowShare(emptyAt: at)
    default: return nil
    }
  }

  /// A card in the store names the URL: the token goes over TLS, or to an address that is not of the internet, where a
  /// group without certificates is.
  static func mayShow(tokenTo url: HTTPURL, at address: IPAddress) -> Bool {
    switch address.addressClass {
    case .loopback, .private, .linkLocal: true
    case .public, .reserved, .multicast, .metadata, .unspecified: url.scheme == .https
    }
  }

  /// `nil` for what is no share of this check and this instant.
  static func read(_ body: [UInt8], _ check: UniqueID, _ at: Timestamp) -> WindowShare? {
    guard body.count <= limit, let json = try? JSONValue.parse(body, maxDepth: 8)["data"],
      json["check_id"]?.string == check.description,
      let bytes = json["share"]?.string.flatMap({ Base16.bytes($0) })
    else { return nil }
    return WindowShare(bytes, for: at)
  }
}
