// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAPI

/// What is said of checks of the API that are taken otherwise than they ask for, or not at all, and of their places.
@Suite struct MappingWordsTests {
  private func map(_ members: String, _ rules: MappingRules = MappingRules()) throws -> PulledChecks {
    CheckMapping(rules).map(CheckSnapshot(checks: [try CheckMappingTests.wire(1, members)]))
  }

  private let page = #""check_type":"http","url":"https://a.test/""#

  /// Each number that is taken otherwise, with its unit; nothing of those that are taken as they are.
  @Test func numbersThatAreTakenOtherwise() throws {
    let rows: [(String, [String])] = [
      (
        #""check_interval_seconds":86401"#, ["check_interval_seconds is 86401s, taken as 86400s"]
      ),
      (#""check_interval_seconds":86400,"timeout_seconds":60"#, []),
      (#""check_interval_seconds":10,"timeout_seconds":10"#, []),
      (
        #""check_interval_seconds":9,"timeout_seconds":11"#,
        [
          "check_interval_seconds is 9s, taken as 10s", "timeout_seconds is 11s, taken as 10s",
        ]
      ),
      (#""timeout_seconds":0"#, ["timeout_seconds is 0s, taken as 1s"]),
      (#""retry_count":11"#, ["retry_count is 11, taken as 10"]), (#""retry_count":0"#, []),
      (#""retry_count":-1"#, ["retry_count is -1, taken as 0"]),
      (#""retry_delay_ms":3600001"#, ["retry_delay_ms is 3600001 ms, taken as 3600000 ms"]),
      (#""confirmation_delay_ms":-5"#, ["confirmation_delay_ms is -5 ms, taken as 0 ms"]),
      (#""retry_delay_ms":3600000,"confirmation_delay_ms":0"#, []),
    ]
    for (members, words) in rows {
      let pulled = try map("\(page),\(members)")
      #expect(pulled.warnings == words.map { .warning(.check("Shop http"), $0) }, "\(members)")
      #expect(pulled.checks.count == 1 && pulled.skipped == [])
    }
  }

  /// The shortest interval is that of the file, a second at least, and no longer than the longest.
  @Test func theShortestInterval() throws {
    for (least, interval) in [
      (Duration.zero, 1), (.milliseconds(500), 1), (.seconds(1), 1), (.seconds(45), 45),
      (.seconds(200_000), 86_400),
    ] {
      var rules = MappingRules()
      rules.minimumInterval = least
      let pulled = try map(#"\#(page),"check_interval_seconds":1,"timeout_seconds":1"#, rules)
      #expect(pulled.checks.map(\.interval) == [.seconds(interval)], "\(least)")
    }
  }

  /// A login of which a half is missing is none, and that is said.
  @Test func halvesOfLogins() throws {
    let basic = "has basic authentication without a name or a password: sent without"
    let bearer = "has bearer authentication without a token: sent without"
    for (type, credentials, words) in [
      ("basic", #"{"username":"u","password":"p"}"#, nil),
      ("basic", #"{"username":"","password":"p"}"#, basic),
      ("basic", #"{"username":"u","password":""}"#, basic), ("basic", #"{"username":"u"}"#, basic),
      ("basic", #"{"password":"p"}"#, basic), ("basic", "null", basic), ("bearer", #"{"token":"t"}"#, nil),
      ("bearer", #"{"token":""}"#, bearer), ("bearer", "{}", bearer), ("bearer", #"{"token":7}"#, bearer),
    ] as [(String, String, String?)] {
      let pulled = try map(
        #"\#(page),"http_auth_type":"\#(type)","http_auth_credentials":\#(credentials),"#
          + #""custom_headers":{"authorization":"old"}"#)
      guard case .http(let http)? = pulled.checks.first?.kind else {
        Issue.record("\(pulled.skipped)")
        continue
      }
      #expect(pulled.warnings.map(\.what) == [words].compactMap(\.self), "\(type) \(credentials)")
      #expect((http.auth == nil) == (words != nil))
      // The header counts where there is no login.
      #expect(http.headers.map(\.name) == (words == nil ? [] : ["authorization"]))
    }
  }

  @Test func whatIsSkippedInWords() throws {
    let rows: [(String, String)] = [
      (#""check_type":"http","url":"""#, "has no url"), (#""check_type":"ssl""#, "has no url"),
      (#""check_type":"ssl","url":"""#, "has no url"),
      (#""check_type":"ssl","url":"ftp://a""#, "url has the scheme \"ftp\"; only http and https are probed"),
      (#""check_type":"port","ip_address":"","port":1"#, "has no ip_address"),
      (#""check_type":"ping""#, "has no ip_address"),
      (#""check_type":"keyword","url":"https://a.test/","keyword_value":"""#, "has no keyword to look for"),
      (
        page + #","http_method":"\#(String(repeating: "M", count: 21))""#,
        "the method \(String(repeating: "M", count: 17))… is not allowed for checks from the API, only GET and HEAD are"
      ),
      (
        page + #","http_method":"\#(String(repeating: "M", count: 20))""#,
        "the method \(String(repeating: "M", count: 20)) is not allowed for checks from the API, only GET and HEAD are"
      ),
    ]
    for (members, reason) in rows {
      let pulled = try map(members)
      #expect(pulled.checks.isEmpty && pulled.skipped.map(\.what) == [reason], "\(members)")
    }
    // A method that is empty is none.
    guard case .http(let http)? = try map(page + #","http_method":"""#).checks.first?.kind else {
      Issue.record("GET")
      return
    }
    #expect(http.method == "GET" && http.headers == [])
  }

  private func judge(
    _ budget: inout DestinationBudget, at seconds: Int = 0, _ places: (String, UInt16?)...
  ) -> [Bool] {
    budget.judge(
      places.map { .init(host: $0.0, port: $0.1) }, at: dawn.advanced(by: .seconds(seconds))
    ).map { $0 == nil }
  }

  /// What was open stays open, whatever stands before it in the next list; a place without a port is its host.
  @Test func portsOfOneHost() {
    var limits = DestinationBudget.Limits()
    #expect(limits.hosts == 500 && limits.portsPerHost == 8 && limits.newHostsPerHour == 50)
    limits.portsPerHost = 2
    var budget = DestinationBudget(limits: limits)
    let first = judge(&budget, ("a", 1), ("a", 2), ("a", 3), ("a", nil), ("a", 1))
    #expect(first == [true, true, false, true, true])
    let second = judge(&budget, ("a", 3), ("a", 2), ("a", 1))
    #expect(second == [false, true, true])
    // A port that is gone makes room.
    let third = judge(&budget, ("a", 4), ("a", 1))
    #expect(third == [true, true])
    let fourth = judge(&budget, ("a", nil))
    #expect(fourth == [true])
  }

  /// New hosts are counted from the second list on, for an hour each, and an empty first list is a list.
  @Test func newHosts() {
    var limits = DestinationBudget.Limits()
    (limits.newHostsPerHour, limits.hosts) = (1, 3)
    var budget = DestinationBudget(limits: limits)
    let first = judge(&budget)
    let second = judge(&budget, at: 10, ("a", 1), ("b", 1))
    let third = judge(&budget, at: 3609, ("a", 1), ("b", 1))
    let fourth = judge(&budget, at: 3610, ("a", 1), ("b", 1))
    #expect(first == [] && second == [true, false] && third == [true, false] && fourth == [true, true])
    let fifth = judge(&budget, at: 9000, ("a", 1), ("b", 1), ("c", 1), ("d", 1))
    #expect(fifth == [true, true, true, false])
    var other = DestinationBudget(limits: limits)
    let whole = other.judge(["a", "b", "c", "d"].map { .init(host: $0, port: nil) }, at: dawn)
    #expect(whole == [nil, nil, nil, "over the limit of 3 destinations (limits.destinations)"])
  }

  /// What is refused for its place is skipped with its type, and its warnings go with it.
  @Test func refusedPlaces() throws {
    var rules = MappingRules()
    rules.destinations.hosts = 1
    var budget = CheckMapping(rules).freshBudget
    let rows = [
      try CheckMappingTests.wire(1, page),
      try CheckMappingTests.wire(
        2, #""check_type":"http","url":"https://b.test/","timeout_seconds":0"#, resource: "Mail"),
    ]
    let pulled = CheckMapping(rules).map(CheckSnapshot(checks: rows), budget: &budget, now: dawn, wall: dawn)
    #expect(pulled.checks.map(\.id) == [checkID(1)] && pulled.refusedDestinations == 1)
    #expect(
      pulled.skipped == [
        .warning(
          .check("Mail http (http)"), "over the limit of 1 destinations (limits.destinations)")
      ])
    #expect(pulled.warnings == [] && pulled.listed == [checkID(1), checkID(2)])
    #expect(pulled.chosen == pulled.listed && pulled.filtered == 0)
  }

  @Test func rulesOfTheFile() {
    var pull = PullSettings()
    (pull.only.types, pull.except.types) = (["a"], ["b"])
    (pull.pingICMP, pull.readBody) = (true, false)
    let rules = MappingRules(pull)
    #expect(rules.only == pull.only && rules.except == pull.except && rules.pingICMP && !rules.readBody)
    (pull.pingICMP, pull.readBody) = (false, true)
    #expect(!MappingRules(pull).pingICMP && MappingRules(pull).readBody)
    #expect(rules.limit == 2000 && rules.minimumInterval == .seconds(10) && rules.methods == ["GET", "HEAD"])
  }
}
