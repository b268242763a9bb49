// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import TestSupport
import Testing
import Tracing

/// What routers quote, over a real kernel: labels, short quotes, and forgeries beside every answer.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .timeLimit(.minutes(1)))
struct QuotingLineTests {
  private func trace(
    _ style: QuotingLine.Style, _ method: TraceMethod, _ change: (inout TraceRequest) -> Void = { _ in }
  ) async throws -> RouteTrace {
    let line = try await NetworkNamespace.run(["ip link set lo up"]) { try QuotingLine(style) }
    defer { line.end() }
    var request = TraceRequest(host: "10.88.0.9", target: SocketAddress(.v4(0x0a58_0009), port: 443))
    (request.method, request.pace, request.wait) = (method, .zero, .milliseconds(300))
    (request.findsMTU, request.findsNames, request.budget) = (false, false, .seconds(3))
    change(&request)
    let place = line.place
    return try await Tracer(enter: { if !joinNamespace(place) { preconditionFailure("setns: \(errno)") } })
      .trace(request, each: nil)
  }

  private let labels = [MPLSLabel(label: 16_001, ttl: 1)]

  @Test(arguments: [QuotingLine.Style.counted, .uncounted], [TraceMethod.tcp, .udp])
  func labelsAreShown(style: QuotingLine.Style, method: TraceMethod) async throws {
    let trace = try await trace(style, method)
    #expect(trace.path.prefix(3) == ["10.88.1.1", "10.88.1.2", "10.88.1.3"], "\(trace.path)")
    #expect(trace.hops[1].answers.first?.labels == labels)
    #expect(trace.hops[0].answers.first?.labels == [] && trace.hops[2].answers.first?.labels == [])
    #expect(trace.hops[1].answers.first?.replyTTL == 61)
    #expect(trace.end == (method == .udp ? .reached("port unreachable") : .silent(after: 3)))
  }

  /// A forged answer names nobody, over either method.
  @Test(arguments: [TraceMethod.tcp, .udp]) func forgeriesAreNothing(method: TraceMethod) async throws {
    let trace = try await trace(.counted, method)
    #expect(
      !trace.hops.contains { $0.answers.contains { $0.address.description == "10.88.66.66" } },
      "\(trace.path)")
    #expect(trace.hops.prefix(3).allSatisfy { $0.received > 0 })
  }

  /// A router that shows nothing of the payload is believed where only one packet waits.
  @Test func shortQuotesAreUnderstood() async throws {
    let trace = try await trace(.short, .udp) { $0.probes = 6 }
    #expect(trace.end == .reached("port unreachable"))
    #expect(trace.path.prefix(4) == ["10.88.1.1", "10.88.1.2", "10.88.1.3", "10.88.0.9"], "\(trace.path)")
    #expect(try await self.trace(.short, .tcp).path.prefix(3) == ["10.88.1.1", "10.88.1.2", "10.88.1.3"])
  }
}
