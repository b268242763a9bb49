// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// An outage of a real target, as the shipped binary tells it.
@Suite struct OutageStories {
  /// A server that answers 503 while it is told to.
  private final class Switch: Sendable {
    let isBroken = Atomic(false)
  }

  private func json(_ path: String, in folder: URL) async throws -> JSONValue {
    let text = try await TimeStories().curl(["http://localhost\(path)"], in: folder).stdout
    return try #require(try JSONValue.parse(text.utf8)["data"])
  }

  /// Begin, end, length and reason are the same in JSON and metrics, before and after a restart; the text and the log
  /// say them too.
  @Test(.timeLimit(.minutes(2))) func anOutageIsTheSameEverywhere() async throws {
    try await withTemporaryDirectory { folder in
      let server = Switch()
      let script: @Sendable (LoopbackConnection) -> Void = { connection in
        _ = connection.read(until: "\r\n\r\n")
        let status = server.isBroken.load(ordering: .relaxed) ? "503 Gone fishing" : "200 OK"
        connection.write("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }
      try await withLoopbackServer(script: script) { web in
        let check = """
            - {name: Shop, id: 00000000-0000-4000-8000-000000000007, type: http, interval: 1s, timeout: 1s, retries: 0,
               url: "http://127.0.0.1:\(web.port)/"}
          """
        try RunStories.config(check, in: folder)
        let path = "/api/v1/checks/00000000-0000-4000-8000-000000000007"
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "two probes") { web.accepted >= 2 }
        server.isBroken.store(true, ordering: .relaxed)
        try await process.wait(for: "the outage") { process.stderr.contains("check is down") }
        let seen = web.accepted
        try await process.wait(for: "three more probes") { web.accepted >= seen + 3 }
        // While it lasts.
        let lasting = try await json(path, in: folder)
        #expect(lasting["state"]?.string == "down" && lasting["outage"]?["end"]?.isNull == true)
        let text = try await agent("status", in: folder)
        #expect(text.stdout.contains("DOWN") && text.stdout.contains("status 503"), "\(text.stdout)")
        // The text says how long so far; it was asked a moment after the JSON.
        let said = try #require(text.stdout.firstMatch(of: /Shop +\S+ \S+ +(\d+)s +http_status/))
        let lasted = try #require(lasting["outage"]?["duration_s"]?.double)
        #expect(abs((Double(said.output.1) ?? -10) - lasted) <= 4, "\(said.output.0), \(lasted)")
        server.isBroken.store(false, ordering: .relaxed)
        try await process.wait(for: "the recovery") { process.stderr.contains("check is up again") }
        let told = try await figures(path, in: folder)
        #expect(told.state == "up" && told.results >= 3 && told.reason == "http_status")
        #expect(told.message?.contains("status 503") == true)
        // Once it is over: the window's down time, the outage and the metrics are one number.
        #expect(told.seconds == told.down && told.seconds == told.metric && told.seconds == told.last)
        #expect(told.seconds >= 3)
        let line = try #require(
          process.stderr.split(separator: "\n").first { $0.contains("check is up again") })
        #expect(line.contains("down_for=") && line.contains("reason=http_status"), "\(line)")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
        let again = try AgentProcess(["run"], in: folder)
        try await again.wait(for: "the second start") { again.stderr.contains("probing 1 check") }
        try await again.wait(for: "its socket") {
          FileManager.default.fileExists(atPath: folder.appending(path: "state/agent.sock").path)
        }
        let after = try await figures(path, in: folder)
        #expect(after.begin == told.begin && after.seconds == told.seconds && after.message == told.message)
        #expect(after.metric == told.seconds && after.down == told.seconds)
        again.send(SIGTERM)
        #expect(try await again.finish().status == 0)
      }
    }
  }

  private struct Figures {
    var (state, begin, reason, message): (String?, String?, String?, String?)
    var (seconds, down, metric, last): (Double, Double?, Double?, Double?)
    var results: Int64
  }

  private func figures(_ path: String, in folder: URL) async throws -> Figures {
    let outages = try #require(try await json(path + "/outages", in: folder).array)
    let outage = try #require(outages.first)
    #expect(outages.count == 1)
    let window = try await json(path + "/uptime?period=24h", in: folder)
    let series = try #require(try await json(path + "/series?period=24h", in: folder)["points"]?.array)
    let metrics = try await TimeStories().curl(["http://localhost/metrics"], in: folder).stdout
    func metric(_ name: String) -> Double? {
      metrics.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").last.flatMap {
        Double($0)
      }
    }
    let down = window["seconds"]?["down"]?.double
    #expect(abs(series.reduce(0) { $0 + ($1["seconds"]?["down"]?.double ?? 0) } - (down ?? -1)) < 0.001)
    return Figures(
      state: try await json(path, in: folder)["state"]?.string, begin: outage["begin"]?.string,
      reason: outage["reason"]?.string, message: outage["first_message"]?.string,
      seconds: try #require(outage["duration_s"]?.double), down: down,
      metric: metric("quartz_check_down_seconds{check=\"Shop\",type=\"http\",period=\"24h\"}"),
      last: metric("quartz_check_last_outage_duration_seconds{"), results: outage["results"]?.integer ?? 0)
  }
}
