// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// What the receiver learns of the agent with every batch, and what the agent learns of the receiver's clock.
@Suite struct ReportTests {
  /// The wire's form of a report, as the fake backend read it.
  @Test func everyBatchCarriesHowTheAgentDoes() async throws {
    let fake = FakeQuartz(now: { 0 })
    let wire = Wire(exchange: InProcess(fake: fake), now: { dawn }) { _ throws(CancellationError) in }
    let keys = KeyRing(Redacted(FakeQuartz.key))
    var report = AgentReport()
    report.spoolDepth = 1234
    report.oldest = dawn.advanced(by: .milliseconds(-90_500))
    report.lost = 42
    report.lostFrom = dawn.advanced(by: .seconds(-7200))
    report.lostTo = dawn.advanced(by: .milliseconds(-3_600_500))
    report.configVersion = "a1b2c3d4"
    report.lag = .milliseconds(1900)
    (report.started, report.checks) = (dawn.advanced(by: .seconds(-5)), 7)
    for report in [report, AgentReport()] {
      let transport = QuartzTransport(
        QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: keys.key), keys: keys,
        agent: Sender(name: "bench", region: "eu", version: "1.0"), over: wire, report: { report })
      for batch in [[], records(2)] {
        let answer = try await transport.deliver(batch)
        guard case .acknowledged = answer.outcome else {
          Issue.record("\(answer.outcome)")
          continue
        }
        let agent = try #require(fake.lastAgent)
        #expect(agent["name"]?.string == "bench" && agent["region"]?.string == "eu")
        let isBare = report == AgentReport()
        #expect(agent["spool_depth"] == (isBare ? nil : .number("1234")))
        #expect(agent["oldest_s"] == (isBare ? nil : .number("90")))
        let dawnSeconds = dawn.microseconds / 1_000_000
        #expect(agent["lost"] == (isBare ? nil : .number("42")))
        #expect(agent["lost_from"] == (isBare ? nil : .number("\(dawnSeconds - 7200)")))
        #expect(agent["lost_to"] == (isBare ? nil : .number("\(dawnSeconds - 3601)")))
        #expect(agent["config_version"] == (isBare ? nil : .string("a1b2c3d4")))
        #expect(agent["started_at"]?.string == (isBare ? nil : dawn.advanced(by: .seconds(-5)).rfc3339))
        #expect(agent["checks"] == (isBare ? nil : .number("7")))
        #expect(agent["sent_at"]?.string == dawn.rfc3339)
        #expect(agent["lag_s"] == (isBare ? nil : .number("1")))
      }
    }
    #expect(fake.resent == 2)
  }

  /// A machine that starts with a wrong clock, which is set right five minutes later.
  @Test(arguments: [5 * 86_400, 7200, -7200]) func aClockThatIsSetAfterTheStart(step: Int) async throws {
    let bench = DeliveryBench()
    bench.queue.append(records(1))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader) { bench.queue.open == 0 })
    #expect(bench.fake.lastAgent?["sent_at"]?.string == dawn.rfc3339)
    #expect(await uploader.status().tally.lastSuccess == dawn)
    bench.clock.advance(by: .seconds(300))
    bench.clock.stepWall(by: .seconds(step))
    // One instant, by the clock as it is now; and what is sent carries that clock.
    #expect(await uploader.status().tally.lastSuccess == dawn.advanced(by: .seconds(step)))
    bench.queue.append(records(2, from: 2))
    #expect(await bench.run(uploader) { bench.queue.open == 0 })
    let right = bench.clock.wall
    #expect(bench.fake.lastAgent?["sent_at"]?.string == right.rfc3339)
    #expect(await uploader.status().tally.lastSuccess == right)
  }

  @Test(
    "A23: the API's clock is off: this machine's is used, and the difference shown",
    arguments: [
      ("Sun, 04 Jan 2026 02:00:05 GMT", nil), ("Sun, 04 Jan 2026 01:59:31 GMT", nil),
      ("Sun, 04 Jan 2026 05:00:00 GMT", "the receiver's clock is 3h ahead of this machine's"),
      ("Sat, 03 Jan 2026 02:00:00 GMT", "the receiver's clock is 1d behind this machine's"),
      ("Thu, 01 Jan 1970 00:00:00 GMT", "behind this machine's"), ("yesterday", nil),
    ] as [(String, String?)])
  func clockSkew(date: String, problem: String?) async throws {
    let bench = DeliveryBench()
    bench.queue.append(records(3))
    let answer = "{\"success\":true,\"data\":{\"accepted\":3,\"duplicates\":0,\"rejected\":[]}}"
    bench.fake.meet(.status(200, answer, ["date": date]))
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader) { bench.queue.open == 0 })
    let status = await uploader.status()
    if let problem {
      #expect(status.usage.skewProblem?.contains(problem) == true, "\(status.usage.skewProblem ?? "none")")
      #expect(status.notices.count == 1)
    } else {
      #expect(status.usage.skewProblem == nil)
    }
    #expect(status.tally.lastSuccess == dawn, "this machine's time")
    let body = String(decoding: bench.fake.requests[0].request.body, as: UTF8.self)
    #expect(body.contains("2026-01-04T02:00:00.003Z"))
  }
}
