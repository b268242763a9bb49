// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Holds two looks at one way against each other.
struct TraceChangeFinder {
  let trace: RouteTrace
  let good: RouteTrace?

  /// A way that takes so much longer than it did, and twice as long at least, is slower.
  private static let slower: Duration = .milliseconds(20)
  /// Percent lost on everything from a place on.
  private static let lossy = 20.0

  var changes: [TraceChange] {
    var found = [ending, mtu, loss, slowness].compactMap(\.self)
    // Where the way ends early, what is different before explains little, and behind is nothing.
    if trace.end.isReached { found += [difference, length].compactMap(\.self) }
    return found
  }

  /// `nil` where the path is not broken, or was so when the target worked.
  var brokenAfter: Int? {
    switch trace.end {
    case .reached, .fault: nil
    case .refused(_, let ttl, _): ttl
    case .loop(let ttl): ttl
    case .silent(let after): isNews(silentAfter: after) ? after : nil
    }
  }

  /// Words for a path without a difference.
  var unchanged: String {
    switch trace.end {
    case .reached:
      let count = trace.lastTTL
      let length = counted(count, "hop")
      return good == nil
        ? "the route to the target is complete, \(length)"
        : "the route to the target is complete and as before, \(length)"
    case .silent(let after):
      return "no answer from behind \(place(after)), as when the target worked"
    case .refused, .loop, .fault: return ""
    }
  }

  // MARK: the end

  private var ending: TraceChange? {
    switch trace.end {
    case .fault(let why): return TraceChange(.fault, nil, "the trace could not be made: \(why)")
    case .loop(let ttl):
      return TraceChange(.loop, ttl, "packets go in circles from \(place(ttl)) on")
    case .refused(let by, let ttl, let says):
      let who = by.map { named($0, ttl) } ?? "a device at hop \(ttl)"
      return TraceChange(.refused, ttl, "\(who) says: \(says)")
    case .silent(let after): return isNews(silentAfter: after) ? silence(after) : nil
    case .reached(let says): return reached(says)
    }
  }

  /// Whether the way went on behind this TTL when the target worked.
  private func isNews(silentAfter ttl: Int) -> Bool {
    guard let good else { return true }
    return good.end.isReached || good.hops.contains { $0.ttl > ttl && !$0.answers.isEmpty }
  }

  private func silence(_ after: Int) -> TraceChange {
    let next = good?.hops.first { $0.ttl > after && !$0.answers.isEmpty }
    let length = good.flatMap { $0.end.isReached ? " of \($0.lastTTL)" : nil } ?? ""
    var words = "no answer, not even from the first router"
    if after > 0 {
      let who = hop(after)?.place
      words =
        who.map { "the route ends behind \($0) (hop \(after)\(length))" }
        ?? "the route ends behind hop \(after)\(length)"
    }
    if let next, let who = next.place {
      let isTarget = next.addresses.contains(trace.target.address)
      words += "; \(isTarget ? "the target" : "hop \(next.ttl)"), \(who), answered \(when)"
    }
    // What another protocol gets through is what a filter lets through.
    if let other = trace.hops.last(where: { $0.ttl > after && $0.method != nil && !$0.answers.isEmpty }),
      let method = other.method
    {
      words += "; \(method.rawValue) gets to hop \(other.ttl), so something drops \(trace.method.rawValue)"
    }
    return TraceChange(.ends, after, words)
  }

  private func reached(_ says: String) -> TraceChange? {
    let last = trace.lastTTL
    if let good, good.end.isReached, good.end != trace.end, last < good.lastTTL, Self.isNo(says) {
      return TraceChange(
        .answeredEarly, last,
        "a device at hop \(last) answers in the target's name (\(says)); the target was hop \(good.lastTTL) \(when)"
      )
    }
    guard Self.isNo(says), good?.end != trace.end else { return nil }
    let words =
      says == "refused"
      ? "the route is complete: the target itself refuses, nothing listens on port \(trace.target.port)"
      : "the route is complete up to the target, or a device in front of it: the answer is a \(says)"
    return TraceChange(.targetRefused, last, words)
  }

  private static func isNo(_ says: String) -> Bool { says == "refused" || says == "reset" }

  // MARK: on the way

  private var mtu: TraceChange? {
    let narrow = trace.narrowings.min { $0.mtu < $1.mtu }
    guard let now = [trace.mtu, narrow?.mtu].compactMap(\.self).min() else { return nil }
    let before = [good?.mtu, good?.narrowings.map(\.mtu).min()].compactMap(\.self).min()
    guard before.map({ now < $0 }) ?? (good == nil && narrow != nil) else { return nil }
    var who = "packets over \(now) bytes do not get through"
    if let narrow, narrow.mtu == now {
      let by =
        narrow.by.map { named($0, narrow.ttl) } ?? narrow.ttl.map { "hop \($0)" } ?? "a device on the route"
      who =
        narrow.isSilent
        ? "packets over \(now) bytes vanish behind \(by), without an ICMP error"
        : "\(by) passes on at most \(now) bytes"
    }
    return TraceChange(.mtu, narrow?.ttl, before.map { "\(who), it was \($0) \(when)" } ?? who)
  }

  /// From the first hop on behind which everybody who answers lacks as much.
  private var loss: TraceChange? {
    guard trace.end.isReached else { return nil }
    let answering = trace.hops.filter { !$0.answers.isEmpty && $0.sent >= 3 }
    guard let last = answering.last, last.loss >= Self.lossy else { return nil }
    let before = good?.hops.last { !$0.answers.isEmpty }?.loss ?? 0
    guard last.loss >= before * 2 else { return nil }
    var first = last
    for hop in answering.reversed() {
      guard hop.loss >= Self.lossy else { break }
      first = hop
    }
    let lost = max(0, last.sent - last.received)
    return TraceChange(
      .loss, first.ttl,
      "from \(place(first.ttl)) on packets are lost: \(lost) of \(last.sent) to the last hop")
  }

  /// From the first hop on from which each that can be compared has become slower.
  private var slowness: TraceChange? {
    var first: (hop: TraceHop, now: Duration, before: Duration)?
    for hop in trace.hops.reversed() {
      guard let old = good?.hops.first(where: { $0.ttl == hop.ttl }), let now = hop.best,
        let before = old.best,
        !hop.addresses.isDisjoint(with: old.addresses)
      else { continue }
      guard now - before >= Self.slower, now >= before * 2 else { break }
      first = (hop, now, before)
    }
    return first.map { hop, now, before in
      TraceChange(
        .slower, hop.ttl,
        "from \(place(hop.ttl)) on answers take longer: \(Self.text(now)) there, it was \(Self.text(before)) \(when)"
      )
    }
  }

  /// The first place with another router, where neither look saw several of them share the traffic.
  private var difference: TraceChange? {
    guard let good else { return nil }
    for hop in trace.hops {
      guard let old = good.hops.first(where: { $0.ttl == hop.ttl }), hop.answers.count == 1,
        old.answers.count == 1, hop.addresses != old.addresses, let now = hop.place, let before = old.place
      else { continue }
      if hop.addresses.contains(trace.target.address) || old.addresses.contains(trace.target.address) {
        continue
      }
      return TraceChange(.differs, hop.ttl, "hop \(hop.ttl) is \(now), it was \(before) \(when)")
    }
    return nil
  }

  private var length: TraceChange? {
    guard let good, good.end.isReached, good.lastTTL != trace.lastTTL, good.lastTTL > 0 else { return nil }
    // Said already, and better.
    if case .reached(let says) = trace.end, Self.isNo(says), trace.lastTTL < good.lastTTL { return nil }
    return TraceChange(
      .length, nil, "the route is \(trace.lastTTL) hops long, it was \(good.lastTTL) hops \(when)")
  }

  // MARK: words

  private func hop(_ ttl: Int) -> TraceHop? { trace.hops.first { $0.ttl == ttl } }

  private func place(_ ttl: Int) -> String {
    hop(ttl)?.place.map { "\($0) (hop \(ttl))" } ?? "hop \(ttl)"
  }

  private func named(_ address: IPAddress, _ ttl: Int?) -> String {
    let answer = trace.hops.lazy.flatMap(\.answers).first { $0.address == address }
    let place = answer?.place ?? address.description
    return ttl.map { $0 == 0 ? "this machine (\(place))" : "\(place) (hop \($0))" } ?? place
  }

  /// When the good look was, as seen from this one.
  private var when: String {
    let seconds = good.map { $0.startedAt.duration(to: trace.startedAt).microseconds / 1_000_000 } ?? 0
    switch seconds {
    case ..<60: return "shortly before"
    case ..<3600: return "\(seconds / 60) min before"
    case ..<172_800: return "\(seconds / 3600) h before"
    default: return "\(seconds / 86_400) days before"
    }
  }

  static func text(_ duration: Duration) -> String {
    let tenths = whole((duration.milliseconds * 10).rounded(), in: 0...1_000_000_000)
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}

extension RouteTrace {
  /// TTL of the last hop that answered; 0 where none did.
  package var lastTTL: Int { hops.last { !$0.answers.isEmpty }?.ttl ?? 0 }
}
