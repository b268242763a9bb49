// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import QuartzAPI
import TestSupport
import Testing

/// Rows of the fault list about delivery that no other suite has as a whole: A5, A6, A9, A11.
@Suite struct FaultRowsTests {
  /// Seconds on the manual clock until everything is delivered, after one 429 with this header.
  private func wait(_ headers: [String: String]) async throws -> Duration {
    let bench = DeliveryBench()
    bench.fake.meet(.status(429, "", headers))
    bench.queue.append(records(3))
    #expect(await bench.run(try bench.uploader(), for: .seconds(8000)) { bench.queue.open == 0 })
    #expect(bench.fake.requests.count == 2, "no request before the wait is over")
    return bench.clock.elapsed
  }

  @Test(
    "A5: a 429 with Retry-After in every form: obeyed, at most an hour, 60 s without a meaning",
    arguments: [
      (["retry-after": "7"], 7), (["retry-after": "3599"], 3599), (["retry-after": "315360000"], 3600),
      (["retry-after": "99999999999999999999999"], 3600), (["retry-after": "-5"], 60),
      (["retry-after": "0"], 60),
      (["retry-after": "soon"], 60), ([:], 60), (["retry-after": "Sun, 04 Jan 2026 02:05:00 GMT"], 300),
      (["retry-after": "Sun, 04 Jan 2036 02:05:00 GMT"], 3600),
      (["retry-after": "Sun, 04 Jan 2015 02:05:00 GMT"], 60), (["x-ratelimit-reset": "40"], 40),
      (["retry-after": "9", "x-ratelimit-reset": "40"], 9),
    ] as [([String: String], Int)])
  func retryAfter(headers: [String: String], seconds: Int) async throws {
    #expect(try await wait(headers) == .seconds(seconds))
  }

  /// The server counts by sliding windows and answers 429 beyond 100 a minute or 1,000 an hour: it never has to.
  @Test("A6: within the limits in every window, over 50 restarts in an hour of a backlog that never ends")
  func limitsOverRestarts() async throws {
    var bench = DeliveryBench()
    bench.settings.batch = 1
    bench.queue.append(records(2000))
    for restart in 0..<50 {
      // Half of them are kills, which leave an open reservation; the other half end in good order.
      let uploader = try bench.uploader()
      _ = await bench.run(uploader, for: .seconds(72)) { false }
      if restart % 2 == 0 { await uploader.flush(within: .zero) }
    }
    #expect(bench.fake.limited == 0)
    #expect(bench.fake.worst(seconds: 60) <= 90)
    #expect(bench.fake.worst(seconds: 3600) <= 900)
    #expect(bench.fake.requests.count > 300, "and it gets on: \(bench.fake.requests.count)")
    #expect(bench.fake.resent == 0)
  }

  /// Every row is refused, for two hours: 40 requests an hour look for the reason, the rest waits.
  @Test("A9: all records rejected: bisection within its allowance, nothing else starves")
  func everythingRejected() async throws {
    let bench = DeliveryBench(target: .supabase)
    bench.fake.setKnownChecks { _ in false }
    // Different checks, so that no answer takes many rows out at once.
    bench.queue.append((1...150).map { record($0, check: $0) })
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(2 * 3600)) { false } == false)
    let uploads = bench.fake.requests.filter { $0.request.path.hasSuffix("check_results") }
    #expect(uploads.count <= 2 * 900)
    #expect(bench.fake.worst(seconds: 3600) <= 900)
    let status = await uploader.status()
    #expect(status.tally.quarantined == bench.queue.snapshot.quarantined["23503"]?.count)
    #expect(status.notices.contains { $0.what.contains("refused by the receiver") })
    // New rows of a check that exists are delivered meanwhile.
    bench.fake.setKnownChecks { $0 == checkID(1).description }
    bench.queue.append([record(9001, check: 1)])
    #expect(await bench.run(uploader, for: .seconds(7200)) { bench.fake.rows.count == 1 })
  }

  /// Each of these is served to a real libcurl: none is an answer, none takes more memory than the cap.
  @Test(
    "A11: endless, compressed and over-nested answers are no answers",
    arguments: ["endless", "chunked", "gzip", "headers", "deep"])
  func hostileAnswers(kind: String) async throws {
    try await withLoopbackServer(script: { connection in
      _ = connection.read(until: "\r\n\r\n")
      switch kind {
      case "endless": connection.write("HTTP/1.1 200 OK\r\n\r\n")
      case "chunked": connection.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
      case "gzip":
        // A body that claims to be compressed is taken as it is: nobody asked for compression.
        connection.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\n\r\n")
        connection.write([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        return
      case "headers": connection.write("HTTP/1.1 200 OK\r\n")
      default:
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        connection.write("HTTP/1.1 200 OK\r\ncontent-length: \(deep.utf8.count)\r\n\r\n" + deep)
        return
      }
      let line = kind == "headers" ? "x-filler: " + String(repeating: "a", count: 1000) + "\r\n" : ""
      let block = [UInt8](repeating: 0x20, count: 65_536)
      for _ in 0..<200 {
        if kind == "headers" {
          connection.write(line)
        } else if kind == "chunked" {
          connection.write(Array("10000\r\n".utf8) + block + Array("\r\n".utf8))
        } else {
          connection.write(block)
        }
      }
    }) { server in
      try await withCurlEngine { engine in
        let base = try HTTPURL("http://127.0.0.1:\(server.port)/v1")
        let exchange = OriginExchange(to: base, over: .test(engine))
        let wire = Wire(exchange: exchange, now: { .now() }) { _ throws(CancellationError) in }
        let keys = KeyRing(Redacted("qtz"))
        let transport = QuartzTransport(
          QuartzSettings(url: base, apiKey: keys.key), keys: keys,
          agent: Sender(name: "bench", region: nil, version: "1"), over: wire)
        guard case .transient = try await transport.deliver(records(2)).outcome else {
          Issue.record("\(kind) was taken for an answer")
          return
        }
        guard case .unchanged = try await APIClient(base: base, keys: keys, over: wire).pullChecks() else {
          Issue.record("\(kind) was taken for a list")
          return
        }
      }
    }
  }
}
