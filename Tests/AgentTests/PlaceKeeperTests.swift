// SPDX-License-Identifier: MIT

import Basics
import Curl
import History
import Monitoring
import Network
import NetworkTestSupport
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent
@testable import Groups

/// Whose windows are added up, and what becomes of those who do not answer.
@Suite struct PlaceKeeperTests {
  private let clock = FakeClock(at: Timestamp(seconds: 1_767_225_600))

  private func makeCheck(places: [String]?) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (
      "Shop", "tcp", "shop.example", 443
    )
    definition.plan.confirm = places.map { ConfirmSettings(from: 2, of: $0) }
    return try MonitoringCheck(definition, patterns: .unchecked)
  }

  /// A history of a member: every `step`th slot of the last `count`, with this latency.
  private func history(_ check: MonitoringCheck, _ slots: [Int], latency: Duration) -> HistoryStore {
    let store = HistoryStore()
    let begin = clock.wall.advanced(by: .seconds(-3600))
    store.apply([check], now: begin)
    for slot in slots {
      let at = begin.advanced(by: .seconds(60 * slot))
      var result = CheckResult(
        id: check.id, check: check, trigger: .schedule, scheduledAt: at, startedAt: at, late: .zero,
        verdict: .ok)
      result.responseTime = latency
      store.record(result, interval: .seconds(60))
    }
    return store
  }

  @Test func membersAndPlacesAreAddedUp() async throws {
    let check = try makeCheck(places: ["paris", "london"])
    let own = history(check, (0..<60).filter { $0 % 2 == 0 }, latency: .milliseconds(10))
    let other = history(check, (0..<60).filter { $0 % 2 == 1 }, latency: .milliseconds(30))
    let far = history(check, Array(0..<60), latency: .milliseconds(90))
    let asked = Mutex<[String]>([])
    let keeper = PlaceKeeper(
      place: "london", agent: "london-1", history: own, time: clock.time,
      members: { place in
        place == "london"
          ? [
            PlaceMember("london-1", url: "u1"), PlaceMember("london-2", url: "u2"),
            PlaceMember("london-3", url: nil),
          ]
          : [PlaceMember("paris-1", url: "u4"), PlaceMember("paris-2", url: "u5")]
      },
      fetch: { url, id, at in
        asked.withLock { $0.append(url) }
        switch url {
        case "u2": return other.share(of: id, now: at)
        case "u4": return far.share(of: id, now: at)
        default: return nil
        }
      })
    keeper.apply([check])
    await keeper.ask(check.id)
    let places = keeper.places(of: check.id)
    // In the order of the configuration.
    #expect(places.map(\.place) == ["paris", "london"] && places.map(\.isOwn) == [false, true])
    #expect(places[0].members == 1 && places[0].absent == ["paris-2"])
    #expect(places[1].members == 2 && places[1].absent == ["london-3"])
    for place in places { #expect(place.window(.day).coverage == 100 && place.window(.day).uptime == 100) }
    let p50 = places.map { $0.window(.day).latency?.p50.milliseconds ?? 0 }
    #expect(abs(p50[0] - 90) < 2 && abs(p50[1] - 10) < 1, "\(p50)")
    #expect(places[1].window(.day).latency?.count == 60)
    // Itself is not asked, and nobody is asked again within a moment.
    await keeper.ask(check.id)
    #expect(asked.withLock { $0.sorted() } == ["u2", "u4", "u5"])
    clock.advance(by: .seconds(31))
    await keeper.ask(check.id)
    #expect(asked.withLock { $0.count } == 6)
  }

  /// A check without `confirm` has the members of its own place.
  @Test func aCheckOfOnePlace() async throws {
    let check = try makeCheck(places: nil)
    let own = history(check, Array(0..<60), latency: .milliseconds(10))
    let keeper = PlaceKeeper(
      place: "london", agent: "a", history: own, time: clock.time, members: { _ in nil },
      fetch: { _, _, _ in nil })
    keeper.apply([check])
    await keeper.ask(check.id)
    #expect(keeper.places(of: check.id).map(\.place) == ["london"])
    await keeper.ask(UniqueID(high: 1, low: 1))
    #expect(keeper.places(of: UniqueID(high: 1, low: 1)).isEmpty)
  }

  /// Members are asked for once in thirty seconds; while the store is away they are those of before. A list without a check has
  /// no sums of it.
  @Test func membersWhileTheStoreIsAway() async throws {
    let check = try makeCheck(places: ["paris", "london"])
    let far = history(check, Array(0..<60), latency: .milliseconds(90))
    let world = Mutex((asked: 0, isAway: false, fetched: [String]()))
    let keeper = PlaceKeeper(
      place: "london", agent: "london-1", history: HistoryStore(), time: clock.time,
      members: { place in
        // At home there is no other.
        if place == "london" { return [] }
        return world.withLock { world in
          world.asked += 1
          return world.isAway ? nil : [PlaceMember("\(place)-\(world.asked)", url: "u\(world.asked)")]
        }
      },
      fetch: { url, id, at in
        world.withLock { $0.fetched.append(url) }
        return far.share(of: id, now: at)
      })
    func fetched(after wait: Duration) async -> [String] {
      clock.advance(by: wait)
      world.withLock { $0.fetched = [] }
      await keeper.ask(check.id)
      return world.withLock { $0.fetched }
    }
    #expect(await fetched(after: .zero) == [], "no list yet")
    keeper.apply([check])
    #expect(await fetched(after: .zero) == ["u1"])
    #expect(await fetched(after: .milliseconds(29_999)) == [] && world.withLock { $0.asked } == 1)
    #expect(await fetched(after: .milliseconds(1)) == ["u2"])
    world.withLock { $0.isAway = true }
    #expect(await fetched(after: .seconds(30)) == ["u2"] && world.withLock { $0.asked } == 3)
    #expect(await fetched(after: .seconds(30)) == ["u2"] && world.withLock { $0.asked } == 4)
    world.withLock { $0.isAway = false }
    #expect(await fetched(after: .seconds(30)) == ["u5"])
    #expect(keeper.places(of: check.id).map(\.members) == [1, 0])
    keeper.apply([])
    #expect(keeper.places(of: check.id).isEmpty)
    #expect(await fetched(after: .seconds(60)) == [])
  }

  /// Anybody who may write to the store can name a URL there.
  @Test func theTokenGoesOverNoOpenNetwork() throws {
    for (url, address, isShown) in [
      ("https://a.example", "203.0.113.7", true), ("http://a.example", "203.0.113.7", false),
      ("http://agent-1:9797", "10.1.2.3", true), ("http://agent-1:9797", "172.31.0.9", true),
      ("http://agent-1:9797", "172.32.0.9", false), ("http://[::1]:9797", "::1", true),
      ("http://agent-1:9797", "fd00::7", true), ("http://agent-1:9797", "2001:db8::7", false),
    ] {
      let found = ShareClient.mayShow(tokenTo: try HTTPURL(url), at: try #require(IPAddress(address)))
      #expect(found == isShown, "\(url) at \(address)")
    }
  }

  /// A name with an address of the internet among others gets no token over plain http, whichever of them comes first.
  @Test(arguments: [
    (["127.0.0.1"], true), (["127.0.0.1", "127.0.0.2"], true), (["127.0.0.1", "10.1.2.3"], true),
    (["127.0.0.1", "203.0.113.7"], false), (["127.0.0.1", "10.1.2.3", "2001:db8::7"], false),
  ])
  func theTokenIsForAllAddressesOfAName(addresses: [String], isShown: Bool) async throws {
    let heads = Mutex<[String]>([])
    try await withLoopbackServer(script: { link in
      let head = link.read(until: "\r\n\r\n")
      heads.withLock { $0.append(head) }
      link.write("HTTP/1.1 404 Not Found\r\nServer: quartz-agent\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      try await withCurlEngine { engine in
        let client = ShareClient(
          outbound: .test(engine, at: addresses.compactMap { IPAddress($0) }), rules: SenderDesk.rules,
          token: Redacted("open sesame"), patience: .seconds(20))
        let url = "http://localhost:\(server.port)/"
        let share = await client.share(url, UniqueID(high: 1, low: 2), clock.wall)
        #expect(share == WindowShare(emptyAt: clock.wall), "\(addresses)")
      }
    }
    let head = try #require(heads.withLock { $0.first })
    #expect(head.contains("Authorization: Bearer open sesame\r\n") == isShown, "\(addresses): \(head)")
    let at = clock.wall.microseconds
    #expect(head.hasPrefix("GET /api/v1/checks/\(UniqueID(high: 1, low: 2))/share?at=\(at) HTTP/1.1"))
  }

  /// A member is another machine: what is no share of this check and instant is none.
  @Test func answersThatAreNone() throws {
    let check = try makeCheck(places: nil)
    let share = try #require(
      history(check, [1, 2], latency: .milliseconds(1)).share(of: check.id, now: clock.wall))
    func body(_ id: String, _ hex: String) -> [UInt8] {
      Array("{\"success\":true,\"data\":{\"check_id\":\"\(id)\",\"at\":\"x\",\"share\":\"\(hex)\"}}".utf8)
    }
    let hex = Base16.text(share.bytes)
    let id = check.id.description
    #expect(ShareClient.read(body(id, hex), check.id, clock.wall) == share)
    #expect(ShareClient.read(body(id, hex), check.id, clock.wall.advanced(by: .seconds(1))) == nil)
    #expect(ShareClient.read(body(UniqueID(high: 9, low: 9).description, hex), check.id, clock.wall) == nil)
    for text in [
      "", "0", hex + "0", hex + "zz", hex.uppercased() + "AB", String(repeating: "0", count: 300_000),
    ] {
      #expect(ShareClient.read(body(id, text), check.id, clock.wall) == nil)
    }
    for text in ["", "{}", "[", "null", "{\"data\":[]}", "{\"data\":{\"check_id\":\"\(id)\"}}"] {
      #expect(ShareClient.read(Array(text.utf8), check.id, clock.wall) == nil)
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Double { seconds * 1000 }
}
