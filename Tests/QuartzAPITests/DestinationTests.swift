// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// Where checks from the API may go: rows A20 and A22 of the fault list.
@Suite struct DestinationTests {
  private func row(_ number: Int, _ members: String) throws -> WireCheck {
    let text = FakeCheck(id: checkID(number).description, members: members).json
    return try WireCheck(JSONValue.parse(Array(text.utf8)))
  }

  private func port(_ number: Int, _ host: String, _ port: Int) throws -> WireCheck {
    try row(
      number, #""check_type":"port","ip_address":"\#(host)","port":\#(port),"check_interval_seconds":1"#)
  }

  private func map(
    _ rows: [WireCheck], _ budget: inout DestinationBudget, _ rules: MappingRules = MappingRules(),
    at seconds: Int = 0
  ) -> PulledChecks {
    CheckMapping(rules).map(
      CheckSnapshot(checks: rows), budget: &budget, now: dawn.advanced(by: .seconds(seconds)), wall: dawn)
  }

  @Test("A22: a scan of 254 hosts and 20 ports trips the budget; the rest is refused, with an alarm")
  func scanIsRefused() async throws {
    let clock = FakeClock()
    let fake = FakeQuartz(now: { 0 })
    fake.setLimits(enforced: false)
    fake.checks = (0..<5080).map { number in
      FakeCheck(
        id: checkID(number).description,
        members: #""check_type":"port","ip_address":"198.51.100.\#(1 + number % 254)","#
          + #""port":\#(1 + number / 254),"#
          + #""check_interval_seconds":1"#)
    }
    var rules = MappingRules()
    rules.limit = 100_000
    let base = try HTTPURL("https://api.test/v1")
    let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
    let client = APIClient(base: base, keys: KeyRing(Redacted(FakeQuartz.key)), over: wire)
    let puller = CheckListPuller(
      .init(
        client: client, cache: CheckListCache(file: MemoryBytes(), base: base, keepsSecrets: false),
        mapping: CheckMapping(rules)
      ) { list in
        #expect(list.checks.count == 254 * 8)
        #expect(list.checks.allSatisfy { $0.interval >= .seconds(10) })
      }, every: .seconds(600), time: SteadyTime(clock.time))
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await puller.run() }
      await clock.someoneSleeps()
      group.cancelAll()
    }
    let status = puller.status
    #expect(status.refusedDestinations == 5080 - 254 * 8)
    #expect(status.skipped.allSatisfy { $0.what == "over the limit of 8 ports at one destination" })
    let alarm = try #require(status.notices().first)
    #expect(alarm.isCritical)
    #expect(alarm.what.contains("3048 checks are refused"))
    #expect(status.notices().count == 22, "twenty of the refused, and a word about the rest")
  }

  @Test func hostsBeyondTheLimitAreRefusedByIDAndThoseInUseStay() throws {
    var rules = MappingRules()
    rules.destinations.hosts = 3
    var budget = CheckMapping(rules).freshBudget
    let first = try (11...15).map { try port($0, "host\($0).example", 443) }
    let pulled = map(first, &budget, rules)
    #expect(pulled.checks.map(\.id) == [checkID(11), checkID(12), checkID(13)])
    #expect(Set(pulled.skipped.map(\.what)) == ["over the limit of 3 destinations (limits.destinations)"])
    // A flood with lower ids, which would win by order.
    let flood = try (1...9).map { try port($0, "flood\($0).example", 443) }
    #expect(map(flood + first, &budget, rules, at: 600).checks.map(\.id) == pulled.checks.map(\.id))
    // One leaves, and the first in line takes its place.
    #expect(
      map(Array(first.dropFirst()), &budget, rules, at: 1200).checks.map(\.id) == [12, 13, 14].map(checkID))
  }

  @Test func fiftyNewDestinationsAnHourAfterTheFirstList() throws {
    var budget = CheckMapping(MappingRules()).freshBudget
    let all = try (1...200).map { try port($0, "host\($0).example", 443) }
    #expect(map(Array(all.prefix(100)), &budget).checks.count == 100, "the first list is taken whole")
    let grown = map(all, &budget, at: 600)
    #expect(grown.checks.count == 150)
    #expect(
      grown.skipped[0].what == "more than 50 new destinations within an hour; it joins at a later pull")
    #expect(map(all, &budget, at: 4199).checks.count == 150)
    #expect(map(all, &budget, at: 4200).checks.count == 200)
    // Hosts that come and go cost the hour as well.
    var rotating = CheckMapping(MappingRules()).freshBudget
    var seen: Set<UniqueID> = []
    for pull in 0..<6 {
      let rows = try (0..<40).map { try port(1000 * pull + $0, "rotating\(pull)-\($0).example", 443) }
      seen.formUnion(map(rows, &rotating, at: pull * 600).checks.map(\.id))
    }
    #expect(seen.count == 40 + 50)
  }

  @Test("A20: a check aimed at the API, or at the agent's own port, is refused")
  func selfConnection() throws {
    var rules = MappingRules()
    rules.own = SelfTargets(
      receivers: [
        try HTTPURL("https://project.example/functions/v1/public-api/v1").origin,
        try HTTPURL("http://127.0.0.1:54321/v1").origin,
      ],
      ports: [9797],
      addresses: [try #require(IPAddress("192.0.2.7")), try #require(IPAddress("2001:db8::7"))])
    let api = "it is aimed at the API itself"
    let own = "it is aimed at this agent's own port"
    func http(_ url: String) -> String { #""check_type":"http","url":"\#(url)""# }
    let cases: [(String, String?)] = [
      (http("https://project.example/functions/v1/public-api/v1/health"), api),
      (http("https://PROJECT.example./"), api), (http("http://project.example:8080/"), api),
      (#""check_type":"ssl","url":"https://project.example/""#, api),
      (#""check_type":"ping","ip_address":"project.example""#, api),
      (#""check_type":"port","ip_address":"127.0.0.1","port":54321"#, api),
      (http("http://127.0.0.1:9797/"), own), (http("http://localhost:9797/api/v1/summary"), own),
      (http("http://[::1]:9797/"), own), (http("http://192.0.2.7:9797/"), own),
      (#""check_type":"port","ip_address":"2001:db8::7","port":9797"#, own),
      (http("https://shop.example/"), nil), (http("http://127.0.0.1:8080/"), nil),
      (http("http://192.0.2.7/"), nil), (http("http://192.0.2.8:9797/"), nil),
      (http("https://notproject.example/"), nil),
    ]
    for (number, (members, reason)) in cases.enumerated() {
      let pulled = CheckMapping(rules).map(CheckSnapshot(checks: [try row(number, members)]))
      #expect(pulled.skipped.first?.what == reason, "\(members)")
      #expect(pulled.checks.count == (reason == nil ? 1 : 0), "\(members)")
    }
    // The state socket: no url leads to it.
    for url in [
      "unix:///var/lib/quartz-agent/agent.sock", "http+unix://%2Fvar%2Flib/agent.sock", "file:///etc/passwd",
    ] {
      let pulled = CheckMapping(rules).map(CheckSnapshot(checks: [try row(1, http(url))]))
      #expect(pulled.checks.isEmpty && pulled.skipped.count == 1, "\(url)")
    }
  }
}
