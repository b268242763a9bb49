// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Tracing

/// When the good look was; the later one is five hours behind it.
let wayBegin = Timestamp(seconds: 1_767_492_000)
private let later = wayBegin.advanced(by: .seconds(5 * 3600))

/// Routers `10.0.1.1`, `10.0.2.1` and so on, hop 1 first; the target is `203.0.113.7`.
struct Way {
  static let target = IPAddress.v4(0xcb00_7107)
  var trace: RouteTrace

  /// - Parameters:
  ///   - hops: the addresses that answer at each TTL, as text; empty: nobody.
  ///   - step: milliseconds that each hop adds.
  init(
    _ hops: [[String]], _ end: TraceEnd, isLater: Bool = false, step: Double = 1, mtu: Int? = 1500,
    sent: Int = 9, received: [Int: Int] = [:]
  ) {
    trace = RouteTrace(
      host: "shop.example", target: SocketAddress(Self.target, port: 443),
      startedAt: isLater ? later : wayBegin, elapsed: .seconds(2), method: .tcp,
      why: "the service's own port",
      flows: 3, end: end, mtu: mtu)
    trace.hops = hops.enumerated().map { index, addresses in
      let ttl = index + 1
      let all = received[ttl] ?? sent
      let answers = addresses.enumerated().compactMap { place, text in
        IPAddress(text).map { address in
          let time = Duration.microseconds(Int64(Double(ttl) * step * 1000))
          return TraceAnswer(
            address: address, received: place == 0 ? all - (addresses.count - 1) : 1, best: time,
            average: time,
            worst: time, flows: [place])
        }
      }
      return TraceHop(ttl: ttl, sent: sent, answers: answers)
    }
  }

  /// So many routers and the target behind them.
  static func routers(_ count: Int) -> [[String]] { (0..<count).map { ["10.0.\($0 + 1).1"] } }
  static func whole(_ count: Int) -> [[String]] { routers(count) + [["203.0.113.7"]] }
}
