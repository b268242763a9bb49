// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Tracing

/// Traces as programs read them, and as they are kept.
@Suite struct TraceViewTests {
  private let good = Way(Way.whole(2), .reached("accepted")).trace
  private let broken = Way(Way.routers(1), .silent(after: 1), isLater: true).trace

  private func text(_ view: TraceView) -> String {
    var json = JSONWriter()
    view.write(to: &json)
    return json.text
  }

  private func latest(_ cause: TraceCause, before: RouteTrace?) -> TraceView.Latest {
    TraceView.Latest(
      cause: cause, begin: broken.startedAt, trace: broken, before: before,
      comparison: TraceComparison(broken, good: before))
  }

  /// A view has each of its members, and null where there is no trace.
  @Test func theDocument() {
    #expect(text(TraceView()) == #"{"pending":false,"latest":null,"good":null}"#)
    var view = TraceView()
    (view.off, view.isPending, view.slowFrom, view.results) = ("no", true, .milliseconds(250), 99)
    view.good = good
    view.latest = latest(.failure(.connectTimeout), before: good)
    let summary = "the route ends behind 10.0.1.1 (hop 1 of 3); hop 2, 10.0.2.1, answered 5 h before"
    #expect(
      text(view) == """
        {"off":"no","pending":true,"slow_from_ms":250,"results":99,"latest":{"cause":"failure",\
        "reason":"connect_timeout","begin":"\(broken.startedAt.rfc3339)","summary":"\(summary)","broken_after":1,\
        "changes":[{"kind":"ends","ttl":1,"words":"\(summary)"}],"trace":\(broken.json),"before":\(good.json)},\
        "good":\(good.json)}
        """)
  }

  /// A slow success has its time and the usual one in place of a reason.
  @Test func aSlowSuccess() {
    let usual = TraceUsual(count: 120, p99: .milliseconds(100))
    let slow = latest(.slow(took: .milliseconds(301), usual: usual), before: nil)
    var view = TraceView()
    view.latest = slow
    #expect(
      text(view).hasPrefix(
        #"{"pending":false,"latest":{"cause":"slow","response_time_ms":301,"p99_ms":100,"begin":""#))
    #expect(text(view).hasSuffix(#""before":null},"good":null}"#))
    #expect(latest(.failure(.connectTimeout), before: nil).why == "the check failed with connect_timeout")
    #expect(latest(.good, before: nil).why == "the target worked")
    #expect(slow.why.contains("where 99% of 120 results took at most"))
  }

  /// A device that narrows the way is news where it was wider before, or where nothing is known of before.
  @Test func narrowPlaces() {
    func changes(_ mtu: Int?, _ narrow: Int?, _ before: RouteTrace?) -> [String] {
      var way = Way(Way.whole(2), .reached("accepted"), isLater: true, mtu: mtu)
      way.trace.narrowings = narrow.map { [TraceNarrowing(ttl: 2, by: IPAddress("10.0.2.1"), mtu: $0)] } ?? []
      return TraceComparison(way.trace, good: before).changes.map(\.words)
    }
    var unknown = good
    unknown.mtu = nil
    let words = "10.0.2.1 (hop 2) passes on at most 1400 bytes"
    #expect(changes(nil, 1400, nil) == [words])
    #expect(changes(nil, 1400, unknown) == [] && changes(1400, nil, nil) == [])
    #expect(changes(nil, 1400, good) == [words + ", it was 1500 5 h before"])
    #expect(
      changes(1400, nil, good) == ["packets over 1400 bytes do not get through, it was 1500 5 h before"])
    #expect(
      changes(1300, 1400, good) == ["packets over 1300 bytes do not get through, it was 1500 5 h before"])
    #expect(changes(1500, nil, good) == [] && changes(1501, nil, good) == [])
  }

  /// A route without a change says how long it is, and that it is as before where that is known.
  @Test func nothingNew() {
    let trace = Way(Way.whole(2), .reached("accepted"), isLater: true).trace
    #expect(
      TraceComparison(trace, good: good).summary
        == "the route to the target is complete and as before, 3 hops")
    let alone = TraceComparison(trace, good: nil)
    #expect(alone.shortSummary == "the route to the target is complete, 3 hops")
    #expect(alone.summary == alone.shortSummary + "; no trace of it at work to compare with")
  }

  /// What a kept trace can hold at most comes back, and what is beyond is taken to it.
  @Test func numbersOfAKeptTrace() throws {
    var trace = good
    trace.narrowings = [
      TraceNarrowing(ttl: nil, by: nil, mtu: 0), TraceNarrowing(ttl: 0, by: .v4(1), mtu: 1),
    ]
    trace.hops = [
      TraceHop(ttl: 255, sent: 100_000, answers: [], method: .tcp), TraceHop(ttl: 0, sent: 0, method: .udp),
      TraceHop(ttl: 1, sent: 1, method: .icmp),
    ]
    (trace.flows, trace.elapsed, trace.mtu) = (255, .seconds(86_400), 0)
    #expect(PackedTrace(trace).trace == trace)
    var beyond = trace
    beyond.flows = 256
    beyond.hops[0] = TraceHop(ttl: 256, sent: 100_001, answers: [], method: .tcp)
    beyond.hops[1] = TraceHop(ttl: -1, sent: -1, method: .udp)
    #expect(PackedTrace(beyond).trace == trace)
    beyond.elapsed = Duration.seconds(86_400) + .microseconds(1)
    #expect(PackedTrace(beyond).trace == nil)
    for version in [0, 2, 255] as [UInt8] {
      var bytes = PackedTrace(trace).bytes
      bytes[0] = version
      #expect((try? PackedTrace(read: bytes)) == nil)
    }
    #expect((try? PackedTrace(read: PackedTrace(trace).bytes + [0])) == nil)
  }

  /// What is asked for is taken into the bounds of a trace.
  @Test func boundsOfARequest() {
    func bounded(_ change: (inout TraceRequest) -> Void) -> TraceRequest {
      var request = TraceRequest(host: "h", target: SocketAddress(.v4(9), port: 443))
      change(&request)
      return request.bounded
    }
    let least = bounded {
      ($0.maxTTL, $0.probes, $0.flows) = (0, 0, 0)
      ($0.wait, $0.pace, $0.budget) = (.zero, .seconds(-1), .zero)
    }
    #expect([least.maxTTL, least.probes, least.flows] == [1, 1, 1])
    #expect([least.wait, least.pace, least.budget] == [.milliseconds(50), .zero, .milliseconds(500)])
    let most = bounded {
      ($0.maxTTL, $0.probes, $0.flows) = (65, 101, 9)
      ($0.wait, $0.pace, $0.budget) = (.seconds(11), .seconds(61), .seconds(3601))
    }
    #expect([most.maxTTL, most.probes, most.flows] == [64, 100, 8])
    #expect([most.wait, most.pace, most.budget] == [.seconds(10), .seconds(60), .seconds(3600)])
    let usual = TraceRequest(host: "h", target: SocketAddress(.v4(9), port: 443))
    #expect(bounded { _ in } == usual)
  }
}
