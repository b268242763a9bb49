// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Testing

@testable import QuartzAPI

/// How the list of the API stands, where its checks may not go, and the batch that was learned.
@Suite struct StandingTests {
  private func told(_ shown: Int = 20, _ change: (inout PullStatus) -> Void) -> [String] {
    var status = PullStatus()
    change(&status)
    return status.notices(shown: shown).map { "\($0.isCritical ? "critical" : "warning"): \($0.what)" }
  }

  private let isOld = "the check list is not the API's latest"
  private let isOfDisk = "warning: the checks are those of the list on disk"

  /// Each fact by itself.
  @Test func aFactEach() {
    #expect(told { $0.lastSuccess = dawn } == [])
    #expect(told { ($0.running, $0.filtered, $0.windows) = (5, 3, 2) } == [])
    #expect(
      told { $0.refusedDestinations = 3 } == [
        "critical: the API's list asks this agent to go to more places than it may: 3 checks are refused"
      ])
    #expect(told { $0.held = "it is empty" } == ["critical: \(isOld): it is empty"])
    #expect(told { $0.trouble = .warning(.checkList, "no answer") } == ["warning: \(isOld): no answer"])
    #expect(
      told { $0.windowTrouble = .warning(.windows, "no answer") } == [
        "warning: the maintenance windows are not the API's latest: no answer"
      ])
    #expect(
      told { $0.isCut = true } == ["warning: the API lists more checks than this agent reads (20,000)"])
    #expect(
      told { $0.cacheProblem = "it is damaged" } == ["warning: the check list on disk: it is damaged"])
    #expect(
      told { $0.windowProblems = ["a", "b"] } == [
        "warning: a maintenance window of the API is not kept: a",
        "warning: a maintenance window of the API is not kept: b",
      ])
  }

  /// That the API has not answered yet is said only where nothing else says why.
  @Test func theListOnDisk() {
    #expect(told { $0.isFromDisk = true } == [isOfDisk + "; the API has not answered yet"])
    #expect(
      told { ($0.isFromDisk, $0.lastSuccess) = (true, dawn) } == [
        isOfDisk + " of \(dawn.rfc3339); the API has not answered yet"
      ])
    #expect(
      told { ($0.isFromDisk, $0.held) = (true, "h") } == ["critical: \(isOld): h", isOfDisk])
    #expect(
      told {
        ($0.isFromDisk, $0.trouble) = (true, .warning(.checkList, "t"))
      } == ["warning: \(isOld): t", isOfDisk])
  }

  /// The most important first, and of many checks and windows a few.
  @Test func manyFacts() {
    let all = told(2) {
      ($0.refusedDestinations, $0.held, $0.isFromDisk, $0.isCut) = (1, "h", true, true)
      ($0.trouble, $0.windowTrouble) = (.warning(.checkList, "t"), .warning(.windows, "w"))
      $0.skipped = ["x", "y", "z", "u"].map { .warning(.part("check"), $0) }
      ($0.windowProblems, $0.cacheProblem) = (["p", "q", "r"], "c")
    }
    #expect(
      all == [
        "critical: the API's list asks this agent to go to more places than it may: 1 check is refused",
        "critical: \(isOld): h", "warning: \(isOld): t", isOfDisk,
        "warning: the maintenance windows are not the API's latest: w",
        "warning: the API lists more checks than this agent reads (20,000)",
        "warning: check of the API is not run: x", "warning: check of the API is not run: y",
        "warning: 2 more checks of the API are not run: see the log",
        "warning: a maintenance window of the API is not kept: p",
        "warning: a maintenance window of the API is not kept: q", "warning: the check list on disk: c",
      ])
    #expect(told(1) { $0.skipped = [.warning(.part("check"), "x")] }.count == 1)
  }

  /// The API by its name on every port, by an address or as localhost on its own; this agent's ports on this machine.
  @Test(
    arguments: [
      ("api.test", 443, "api"), ("api.test", 22, "api"), ("api.test", nil, "api"), ("www.api.test", 443, nil),
      ("192.0.2.7", 8443, "api"), ("192.0.2.7", 443, nil), ("192.0.2.7", nil, nil),
      ("localhost", 3000, "api"),
      ("localhost", 3001, nil), ("localhost", 9797, "port"), ("127.0.0.1", 9797, "port"),
      ("127.9.9.9", 9798, "port"), ("::1", 9797, "port"), ("API.test.", 22, "api"),
      ("10.0.0.5", 9797, "port"),
      ("10.0.0.6", 9797, nil), ("10.0.0.5", 9799, nil), ("10.0.0.5", nil, nil), ("shop.example", 9797, nil),
    ] as [(String, UInt16?, String?)])
  func ownPlaces(host: String, port: UInt16?, whose: String?) throws {
    let receivers = try ["https://api.test/v1", "https://192.0.2.7:8443/", "http://localhost:3000/"].map {
      try HTTPURL($0).origin
    }
    let own = SelfTargets(
      receivers: receivers, ports: [9797, 9798], addresses: [try #require(IPAddress("10.0.0.5"))])
    let words = ["api": "it is aimed at the API itself", "port": "it is aimed at this agent's own port"]
    #expect(own.refusal(.init(host: host, port: port)) == whose.flatMap { words[$0] })
  }

  /// What was learned of a receiver holds for it alone, for the same settings, and below what they ask for.
  @Test func theBatchThatWasLearned() {
    let memory = BatchMemory(limit: 50, since: dawn)
    let bytes = memory.encoded(receiver: "a", configured: 100)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"version":1,"receiver":"a","configured":100,"batch":50,"since":"2026-01-04T02:00:00.000Z"}"#)
    #expect(BatchMemory(bytes, receiver: "a", configured: 100) == memory)
    #expect(BatchMemory(bytes, receiver: "b", configured: 100) == nil)
    #expect(BatchMemory(bytes, receiver: "a", configured: 101) == nil)
    for (limit, isKept) in [(0, false), (1, true), (99, true), (100, false), (-1, false)] {
      let other = BatchMemory(limit: limit, since: dawn).encoded(receiver: "a", configured: 100)
      #expect((BatchMemory(other, receiver: "a", configured: 100) != nil) == isKept, "\(limit)")
    }
    for text in [
      #"{"version":2,"receiver":"a","configured":100,"batch":50,"since":"2026-01-04T02:00:00.000Z"}"#,
      #"{"version":1,"receiver":"a","configured":100,"batch":50,"since":"yesterday"}"#,
      #"{"version":1,"receiver":"a","configured":100,"batch":50}"#, "", "[]",
    ] {
      #expect(BatchMemory(Array(text.utf8), receiver: "a", configured: 100) == nil)
    }
  }
}
