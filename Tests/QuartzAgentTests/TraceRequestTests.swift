// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Testing
import Tracing

@testable import QuartzAgent

/// What `trace` asks of its tracer, and what its end is worth.
@Suite struct TraceRequestTests {
  private func request(_ options: [String], port: UInt16, isLive: Bool = false) throws -> TraceRequest {
    try TraceCommand.parse(options + ["shop.example"])
      .request("shop.example", SocketAddress(.v4(0xc000_0201), port: port), isLive: isLive)
  }

  /// The target's own port, unless another is named. TCP needs one, and takes 443 where there is none; UDP goes to no port of
  /// the target's own, and ICMP has none.
  @Test(
    arguments: [
      ([], 8443, 8443, nil), ([], 0, 0, nil), (["--port", "22"], 443, 22, nil),
      (["--port", "22"], 0, 22, nil),
      (["--method", "tcp"], 0, 443, .tcp), (["--method", "tcp"], 25, 25, .tcp),
      (["--method", "tcp", "--port", "22"], 0, 22, .tcp), (["--method", "udp"], 443, 0, .udp),
      (["--method", "udp", "--port", "53"], 443, 53, .udp), (["--method", "icmp"], 443, 0, .icmp),
    ] as [([String], UInt16, UInt16, TraceMethod?)])
  func thePort(options: [String], found: UInt16, asked: UInt16, method: TraceMethod?) throws {
    let request = try request(options, port: found)
    #expect(request.target == SocketAddress(.v4(0xc000_0201), port: asked))
    #expect(request.method == method && request.host == "shop.example")
  }

  /// Three packets for each TTL and flow, of a live table a hundred, once a second; what is said holds for both.
  @Test func whatIsAsked() throws {
    let plain = try request([], port: 443)
    #expect((plain.maxTTL, plain.flows, plain.probes) == (30, 3, 3))
    #expect(plain.wait == .seconds(1) && plain.pace == .milliseconds(1500) && plain.findsNames)
    // Twice three rounds of 2.5 s, and 30 TTLs of a second.
    #expect(plain.budget == .seconds(45))
    let live = try request([], port: 443, isLive: true)
    #expect(live.probes == 100 && live.pace == .seconds(1) && live.maxTTL == 30)
    #expect(live.budget == .seconds(430))
    let options = ["--max-ttl", "10", "--count", "7", "--flows", "2", "--wait", "100ms", "-n"]
    for isLive in [false, true] {
      let said = try request(options, port: 443, isLive: isLive)
      #expect((said.maxTTL, said.flows, said.probes) == (10, 2, 7))
      #expect(said.wait == .milliseconds(100) && !said.findsNames)
    }
    let short = try request(["--count", "1", "--max-ttl", "10", "--wait", "100ms"], port: 443)
    #expect(short.budget == .seconds(15), "never less")
  }

  /// Each bound, from both sides.
  @Test(
    arguments: [
      (["--max-ttl", "1"], nil), (["--max-ttl", "64"], nil),
      (["--max-ttl", "0"], "--max-ttl must be 1 to 64"),
      (["--max-ttl", "65"], "--max-ttl must be 1 to 64"), (["--count", "1"], nil), (["--count", "100"], nil),
      (["--count", "0"], "--count must be 1 to 100"), (["--count", "101"], "--count must be 1 to 100"),
      (["--flows", "1"], nil), (["--flows", "8"], nil), (["--flows", "0"], "--flows must be 1 to 8"),
      (["--flows", "9"], "--flows must be 1 to 8"), (["--wait", "50ms"], nil), (["--wait", "10s"], nil),
      (["--wait", "49ms"], "--wait must be 50ms to 10s"),
      (["--wait", "10001ms"], "--wait must be 50ms to 10s"),
      (["--port", "1"], nil), (["--port", "65535"], nil), (["--port", "0"], "--port must be 1 to 65535"),
      (["--port", "7", "--method", "icmp"], "--port has no meaning with --method icmp"),
      (["--port", "7", "--method", "udp"], nil), (["-4"], nil), (["-6"], nil),
      (["-4", "-6"], "-4 and -6 exclude each other: leave one out"),
    ] as [([String], String?)])
  func bounds(options: [String], problem: String?) {
    let said = refusal(of: TraceCommand.self, options + ["shop.example"])
    #expect(problem == nil ? said == nil : said?.contains(problem ?? "") == true, "\(said ?? "nothing")")
  }

  /// Reached is 0, not reached 2, and this machine's fault 3.
  @Test(
    arguments: [
      (.reached("refused"), 0), (.refused(by: nil, ttl: 3, says: "administratively prohibited"), 2),
      (.silent(after: 0), 2), (.loop(from: 4), 2), (.fault("no route"), 3),
    ] as [(TraceEnd, Int32)])
  func theExitCode(end: TraceEnd, status: Int32) { #expect(end.exitStatus == status) }
}

/// What a command says of arguments that it does not take; `nil`: it takes them.
func refusal<Command: ParsableArguments>(of command: Command.Type, _ arguments: [String]) -> String? {
  do {
    _ = try command.parse(arguments)
    return nil
  } catch {
    return command.message(for: error)
  }
}
