// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// One trace, from its first packet to what it amounts to. Everything happens on one thread that is its own: a trace is
/// rare, sends and reads in bursts, and would be a lateness of others on a loop that they share.
final class TraceRun {
  private let request: TraceRequest
  private let startedAt: Timestamp
  private let stop: TraceStop
  private let tell: ((RouteTrace) -> Void)?
  private let start = Instant.now
  private var told: Instant?
  private let echo: PacketFlow.Kind?

  /// The port that datagrams go to where none is asked for, as traceroute has it.
  static let datagramPort: UInt16 = 33_434
  /// Between two pictures of what is known so far.
  static let every = Duration.milliseconds(100)

  init(
    _ request: TraceRequest, startedAt: Timestamp, stop: TraceStop, identifier: UInt16?,
    tell: ((RouteTrace) -> Void)?
  ) {
    (self.request, self.startedAt, self.stop, self.tell) = (request.bounded, startedAt, stop, tell)
    switch pingWay() {
    case .unprivileged: echo = .icmp
    case .raw: echo = identifier.map { .rawICMP($0) }
    case .closed: echo = nil
    }
  }

  private func instant(_ share: Double) -> Instant {
    start + .microseconds(whole(Double(request.budget.microseconds) * share, in: 0...Int.max / 2))
  }

  func run() -> RouteTrace {
    let (method, why) = choice
    var request = request
    if method == .udp, request.target.port == 0 { request.target.port = Self.datagramPort }
    if method == .icmp { request.target.port = 0 }
    guard let sender = sender(method, request) else {
      let end = TraceEnd.fault(method == .tcp ? "TCP needs a port" : pingForbidden)
      return trace(request.target, method, why, [], end)
    }
    let walk = TraceWalk(method, request, sender, stop: stop, until: instant(0.6))
    let scout = scout(method, request.target)
    walk.run(watching: scout) { book in
      var verdict = TraceVerdict(request: request, book: book, circle: nil)
      verdict.findOwn()
      return show { self.trace(request.target, method, why, verdict.hops, verdict.end) }
    }
    var verdict = TraceVerdict(
      request: request, book: walk.book, circle: walk.course.circle, fault: walk.fault)
    if let scout { hear(scout, &verdict) }
    verdict.findOwn()
    if method == .tcp, verdict.fault == nil { lookOtherwise(&verdict) }
    var trace = trace(request.target, method, why + verdict.note, verdict.hops, verdict.end)
    if request.findsMTU { findSizes(&trace, verdict) }
    trace.elapsed = start.duration(to: .now)
    return trace
  }

  var choice: (TraceMethod, why: String) {
    let port = request.target.port
    switch request.method {
    case .tcp: return (.tcp, "TCP to port \(port), as asked")
    case .udp: return (.udp, "UDP to port \(port == 0 ? Self.datagramPort : port), as asked")
    case .icmp: return (.icmp, "ICMP echo, as asked")
    case nil: break
    }
    if port > 0 { return (.tcp, "TCP to port \(port), the service's own") }
    if echo != nil { return (.icmp, "ICMP echo, as there is no port") }
    return (
      .udp,
      "UDP to port \(Self.datagramPort), as there is no port and the kernel forbids ping to this process"
    )
  }

  /// `nil` where it cannot be used here.
  private func sender(_ method: TraceMethod, _ request: TraceRequest) -> (any TraceSender)? {
    switch method {
    case .tcp: request.target.port == 0 ? nil : ConnectSender(request)
    case .udp: PacketSender(.udp, request)
    case .icmp: echo.map { PacketSender($0, request) }
    }
  }

  private func scout(_ method: TraceMethod, _ target: SocketAddress) -> TraceScout? {
    switch method {
    case .tcp: TraceScout(target)
    case .udp: TraceScout(.udp, target)
    case .icmp: echo.map { TraceScout($0, target) }
    }
  }

  /// Waits for the scout where the walk itself found no end.
  private func hear(_ scout: TraceScout, _ verdict: inout TraceVerdict) {
    let until = min(start + TraceScout.patience, instant(0.6))
    let isOpen = verdict.circle == nil && verdict.fault == nil && verdict.book.ends.allSatisfy { $0 == nil }
    while isOpen, !stop.isPulled, scout.isWaiting, let descriptor = scout.descriptor, .now < until {
      stop.wait(for: [descriptor], until: until)
      scout.look(at: .now)
    }
    verdict.scout = scout.reply
  }

  /// Where TCP shows no end, and where what ends it may not be the target: with datagrams and echo requests.
  private func lookOtherwise(_ verdict: inout TraceVerdict) {
    let until = instant(0.8)
    switch verdict.end {
    case .silent(let after):
      verdict.others = walkOtherwise(from: after + 1, to: request.maxTTL, verdict.book, until: until)
    case .reached("accepted"), .reached("refused"):
      let ends = Set(verdict.book.ends.compactMap { $0?.ttl })
      // Flows of different lengths prove nothing.
      guard ends.count == 1, let ttl = ends.first else { return }
      let glance = walkOtherwise(from: ttl, to: ttl, verdict.book, rounds: 1, until: until)
      let isTarget = glance.contains { $0.ends.contains { $0 != nil } }
      guard !isTarget, glance.contains(where: { $0.router(at: ttl) != nil }) else { return }
      verdict.front = ttl
      verdict.others = walkOtherwise(from: ttl, to: request.maxTTL, verdict.book, until: until)
    default: return
    }
  }

  private func walkOtherwise(
    from first: Int, to last: Int, _ book: TraceBook, rounds: Int = 2, until deadline: Instant
  ) -> [TraceBook] {
    guard first <= last else { return [] }
    var request = request
    (request.maxTTL, request.flows, request.pace, request.probes) = (
      last, 1, .zero, min(rounds, request.probes)
    )
    request.wait = min(request.wait, max(.milliseconds(500), (book.worst ?? request.wait) * 4))
    var books: [TraceBook] = []
    for method in [TraceMethod.udp, .icmp] where !stop.isPulled && .now < deadline {
      request.target.port = method == .udp ? Self.datagramPort : 0
      guard let sender = sender(method, request) else { continue }
      let walk = TraceWalk(method, request, sender, stop: stop, until: deadline, from: first)
      walk.run { _ in true }
      if walk.fault == nil { books.append(walk.book) }
    }
    return books
  }

  private func findSizes(_ trace: inout RouteTrace, _ verdict: TraceVerdict) {
    switch trace.end {
    case .fault, .loop: return
    case .reached, .refused, .silent: break
    }
    var best: SizeSearch?
    for kind in [echo, .udp].compactMap(\.self) where !stop.isPulled && !(best?.reachesTarget ?? false) {
      var target = request.target
      if kind == .udp { target.port = Self.datagramPort }
      let search = SizeSearch(
        kind, target, verdict.book, length: min(trace.hops.count, request.maxTTL), wait: request.wait,
        stop: stop,
        until: instant(1))
      guard let search else { continue }
      if best.map({ search.reachesTarget || search.last > $0.last }) ?? true { best = search }
    }
    best?.run()
    (trace.mtu, trace.narrowings) = (best?.mtu, best?.narrowings ?? [])
  }

  private func trace(
    _ target: SocketAddress, _ method: TraceMethod, _ why: String, _ hops: [TraceHop], _ end: TraceEnd
  ) -> RouteTrace {
    RouteTrace(
      host: request.host, target: target, startedAt: startedAt, elapsed: start.duration(to: .now),
      method: method,
      why: why, flows: request.flows, hops: hops, end: end)
  }

  /// False: the one before is too fresh.
  private func show(_ picture: () -> RouteTrace) -> Bool {
    guard let tell else { return true }
    let now = Instant.now
    if let told, told.duration(to: now) < Self.every { return false }
    told = now
    tell(picture())
    return true
  }
}

extension TraceRequest {
  /// With every number in its bounds.
  var bounded: TraceRequest {
    var request = self
    request.maxTTL = min(64, max(1, maxTTL))
    request.probes = min(100, max(1, probes))
    request.flows = min(8, max(1, flows))
    request.wait = min(.seconds(10), max(.milliseconds(50), wait))
    request.pace = min(.seconds(60), max(.zero, pace))
    request.budget = min(.seconds(3600), max(.milliseconds(500), budget))
    return request
  }
}

extension TraceVerdict {
  /// Looks up whether it is this machine that refuses, and why.
  fileprivate mutating func findOwn() {
    guard let address = refusers.first(where: { LocalPath.isOwn($0) }) else { return }
    own = Own(address: address, fault: LocalPath.fault(to: request.target.address))
  }
}
