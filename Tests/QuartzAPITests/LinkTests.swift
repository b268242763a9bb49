// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing

@testable import QuartzAPI

/// What the settings make of the link: its parts, the files it keeps, the origins it speaks to, and what is heard.
@Suite struct LinkTests {
  /// What a link asks the outside for.
  private final class Outside: Sendable {
    let bases = Mutex<[String]>([])
    let names = Mutex<[String]>([])

    func parts(isKept: Bool = true, contact: ContactDesk? = nil) -> QuartzLink.Outside {
      var outside = QuartzLink.Outside(
        exchange: { base in
          self.bases.withLock { $0.append(base.text) }
          return RequestBook(200, "{}")
        }, time: FakeClock().time, queue: MemoryQueue(), readKey: { nil }, apply: { _ in })
      if isKept {
        outside.kept = { name in
          self.names.withLock { $0.append(name) }
          return MemoryBytes()
        }
      }
      outside.contact = contact
      return outside
    }
  }

  private func settings(_ fill: (inout QuartzSettings) -> Void = { _ in }) throws -> QuartzSettings {
    var settings = QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: Redacted("k"))
    fill(&settings)
    return settings
  }

  private func supabase(_ url: String) throws -> SupabaseSettings {
    SupabaseSettings(url: try HTTPURL(url), apiKey: nil, login: .serviceKey(Redacted("s")))
  }

  private func link(_ settings: QuartzSettings, _ outside: QuartzLink.Outside) throws -> QuartzLink {
    try QuartzLink(
      settings, agent: Sender(name: "a", region: nil, version: "1"), rules: MappingRules(), outside: outside)
  }

  @Test func partsAndFiles() async throws {
    let rows: [((inout QuartzSettings) -> Void, [Bool], [String])] = [
      ({ _ in }, [false, true, false], ["requests-quartz", "delivery.json"]),
      ({ $0.deliver.target = .off }, [false, false, false], ["requests-quartz"]),
      (
        { ($0.checks.pull, $0.deliver.target) = (true, .off) }, [true, false, false],
        ["requests-quartz", "checks.json"]
      ),
      (
        { ($0.updateResources, $0.deliver.target) = (true, .off) }, [false, false, true],
        ["requests-quartz", "resources.json"]
      ),
    ]
    for (fill, parts, names) in rows {
      let outside = Outside()
      let made = try link(try settings(fill), outside.parts())
      #expect([made.puller != nil, made.uploader != nil, made.resources != nil] == parts)
      #expect(outside.names.withLock(\.self) == names)
      #expect(outside.bases.withLock(\.self) == ["https://api.test/v1"])
      #expect(await made.notices().isEmpty)
    }
    // Nothing is pulled or written to resources by who keeps nothing.
    let once = try link(
      try settings { ($0.checks.pull, $0.updateResources) = (true, true) }, Outside().parts(isKept: false))
    #expect(once.puller == nil && once.resources == nil && once.uploader != nil)
  }

  /// One origin has one budget, whatever its paths; another has its own.
  @Test func originsAndTheirBudgets() throws {
    for (url, bases, names) in [
      ("https://api.test/rest", ["https://api.test/v1"], ["requests-quartz", "delivery.json"]),
      (
        "https://p.test/", ["https://api.test/v1", "https://p.test/"],
        ["requests-quartz", "requests-supabase", "delivery.json"]
      ),
    ] {
      let outside = Outside()
      let section = try supabase(url)
      let made = try link(
        try settings { ($0.deliver.target, $0.supabase) = (.supabase, section) }, outside.parts())
      #expect(made.uploader != nil && outside.bases.withLock(\.self) == bases)
      #expect(outside.names.withLock(\.self) == names)
    }
  }

  @Test func whatIsRefused() throws {
    func refusal(_ settings: QuartzSettings) -> String? {
      do throws(QuartzSetupError) {
        _ = try QuartzLink(
          settings, agent: Sender(name: "a", region: nil, version: "1"), rules: MappingRules(),
          outside: Outside().parts())
        return nil
      } catch { return error.description }
    }
    #expect(refusal(try settings()) == nil)
    let plain = QuartzSettings(url: try HTTPURL("http://api.test/v1"), apiKey: Redacted("k"))
    #expect(refusal(plain) == "quartz.url must be an https url: a key is sent over it")
    let (near, far) = (try supabase("http://127.0.0.1/"), try supabase("http://p.test/"))
    for target in DeliverSettings.Target.allCases {
      let isMeant = target == .supabase
      #expect(
        refusal(try settings { $0.deliver.target = target })
          == (isMeant ? "quartz.deliver.to is supabase, but quartz.supabase is missing" : nil))
      #expect(
        refusal(try settings { ($0.deliver.target, $0.supabase) = (target, far) })
          == (isMeant ? "quartz.supabase.url must be an https url: a key is sent over it" : nil))
      #expect(refusal(try settings { ($0.deliver.target, $0.supabase) = (target, near) }) == nil)
    }
  }

  /// What the API says is heard with a 200 alone, and sets how often it wants to hear.
  @Test func whatIsHeard() async throws {
    let said = #"{"data":{"contact_s":7,"list":{"version":4}}}"#
    for (status, body, isHeard) in [
      (200, said, true), (207, said, false), (403, said, false), (200, #"{"list":{"version":4}}"#, false),
      (200, "<html>", false),
    ] {
      let heard = Mutex<[ContactWords]>([])
      let hear: @Sendable (ContactWords) -> Void = { words in heard.withLock { $0.append(words) } }
      let desk = ContactDesk(can: [], heard: hear, ask: { _ in nil })
      let clock = FakeClock()
      let gate = RateGate(time: SteadyTime(clock.time), file: MemoryBytes())
      let answer = OutboundAnswer(status: status, body: Array(body.utf8))
      var route = Uploader.Route(
        Fixed(answer: answer), gate: gate, memory: MemoryBytes(), receiver: "bench")
      route.contact = desk
      let uploader = Uploader(
        queue: MemoryQueue(records(1)), route: route, settings: .init(), generator: longest)
      await uploader.flush(within: .seconds(5))
      let words = heard.withLock(\.self)
      #expect(words.map(\.contact) == (isHeard ? [.seconds(7)] : []), "\(status) \(body)")
      #expect(words.map(\.listVersion) == (isHeard ? [4] : []))
      #expect(await uploader.status().tally.delivered == 1)
    }
  }

  /// Takes everything, with one answer.
  private struct Fixed: ResultTransport {
    let dialect = DeliveryDialect.quartz
    let answer: OutboundAnswer

    func deliver(_ records: [DeliveryRecord]) async throws(CancellationError) -> DeliveryReport {
      DeliveryReport(stored, .response(answer))
    }
    func renewCredentials() async throws(CancellationError) -> Bool { false }
  }

  /// The last error with its time and its next try.
  @Test func theLastError() {
    var status = DeliveryStatus(.quartz)
    #expect(status.lastError == nil)
    status.tally.trouble = .warning(.delivery, "no route", hint: "h")
    #expect(status.lastError == .warning(.delivery, "no route", hint: "h", since: .epoch))
    (status.tally.troubleSince, status.heldUntil) = (dawn, dawn.advanced(by: .seconds(90)))
    #expect(
      status.lastError
        == .warning(
          .delivery, "no route; next try at 2026-01-04T02:01:30.000Z", hint: "h", since: dawn))
    // While a request hangs the next try is no matter.
    status.requestSince = dawn.advanced(by: .seconds(91))
    #expect(status.lastError?.what == "no route; a request is under way since 2026-01-04T02:01:31.000Z")
    #expect(DeliveryDialect.quartz.receiver == "the quartz api")
    #expect(DeliveryDialect.supabase.receiver == "supabase")
    #expect(DeliveryDialect.quartz.urlKey == "quartz.url")
    #expect(DeliveryDialect.supabase.urlKey == "quartz.supabase.url")
  }
}
