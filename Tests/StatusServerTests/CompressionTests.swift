// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import TestSupport
import Testing
@testable import Status
@testable import StatusServer

/// Large answers go in gzip to who can read it.
@Suite struct CompressionTests {
  /// RFC 9110 section 12.5.3: the weight 0 forbids, what is named counts before what is not.
  @Test(arguments: [
    ("gzip", true), ("deflate, gzip;q=0.5", true), ("GZIP ; q=1.0", true), ("x-gzip", true), ("*", true),
    ("gzip;q=0", false), ("gzip; q=0.000, *", false), ("*;q=0", false), ("identity", false), ("", false),
    ("gzip;q=x", false), ("gzip;q=1", true),
    ("gzip;q=1.001", false), ("gzip;q=-1", false), ("br, *;q=0.1", true), ("gzipped", false),
    (",,;q=1,", false),
  ])
  func theClientDecides(_ header: String, _ expected: Bool) {
    #expect(Compression.acceptsGzip(header) == expected)
  }

  @Test func withoutTheHeaderNothingIsCompressed() { #expect(!Compression.acceptsGzip(nil)) }

  /// Runs curl, which takes the answer apart by itself.
  private func curl(_ address: ListenAddress, _ target: String, _ arguments: [String]) async throws -> Data {
    guard case .tcp(_, let port) = address else { throw POSIXFailure("a port is needed", 0) }
    let url = "http://127.0.0.1:\(port)\(target)"
    return try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/curl")
            process.arguments = ["-sS", "--max-time", "20"] + arguments + [url]
            process.standardOutput = pipe
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return data
          })
      }.start()
    }
  }

  /// Decoded it is the same document, in fewer bytes; HEAD has the headers of GET; a small answer goes as it is.
  @Test func whatIsLargeIsCompressed() async throws {
    try await withServer(try sampleSource()) { address in
      let target = "/api/v1/summary?full=true"
      let plain = try await curl(address, target, [])
      let gzip = ["-H", "Accept-Encoding: gzip"]
      let small = try await curl(address, target, gzip)
      #expect(small.prefix(2) == Data([0x1f, 0x8b]) && small.count < plain.count / 2)
      #expect(try await curl(address, target, ["--compressed"]).count == plain.count)
      let text = { (data: Data) in String(decoding: data, as: UTF8.self) }
      let head = text(try await curl(address, target, gzip + ["-I"]))
      #expect(head.contains("Content-Encoding: gzip\r\n") && head.contains("Vary: Accept-Encoding\r\n"))
      // Each answer has an id of its own, which is packed to a few bytes more or less.
      let length = head.split(separator: "Content-Length: ").last?.prefix { $0.isNumber }
      let told = try #require(length.flatMap { Int($0) })
      #expect(abs(told - small.count) <= 24)
      let refused = text(try await curl(address, target, ["-H", "Accept-Encoding: gzip;q=0", "-I"]))
      #expect(!refused.contains("Content-Encoding") && refused.contains("Vary: Accept-Encoding\r\n"))
      let short = text(try await curl(address, "/livez", gzip + ["-i"]))
      #expect(!short.contains("Content-Encoding") && short.hasSuffix("alive\n"))
    }
  }

  /// A phone's first look at 500 checks: at most 60 KB.
  @Test func fiveHundredChecksFitIn60KB() async throws {
    var source = try sampleSource()
    let names = ["Shop", "Mail", "Search", "Login", "Payments"]
    let agent = AgentIdentity(name: "a", region: nil, version: "0", started: started)
    let store = HistoryStore()
    var checks: [MonitoringCheck] = []
    for number in 0..<500 {
      checks.append(try makeCheck("\(names[number % 5]) \(number)", host: "h\(number).example"))
    }
    store.apply(checks, now: started)
    for (number, check) in checks.enumerated() {
      for minute in 70..<118 {
        var result = makeResult(check, minute: minute, state: (number + minute) % 37 == 0 ? .down : .up)
        result.responseTime = .microseconds(20_000 + number * 7919 * minute % 90_000)
        store.record(result, interval: .seconds(60))
      }
    }
    source.status = StatusSnapshot(agent: agent, history: store, now: now)
    try await withServer(source) { address in
      let page = try await curl(address, "/", ["-H", "Accept-Encoding: gzip"])
      #expect(page.prefix(2) == Data([0x1f, 0x8b]) && page.count <= 60_000, "\(page.count) bytes")
    }
  }
}
