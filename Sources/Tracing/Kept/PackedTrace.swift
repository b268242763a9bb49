// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A trace in few bytes, as it is kept and stored. It is cut to its limit, the least telling part first: names of
/// balanced routers, all names, further answers at one place, hops at the end.
struct PackedTrace: Hashable, Sendable {
  let bytes: [UInt8]
  let startedAt: Timestamp

  /// Of one that later ones are compared with.
  static let limit = 1024
  /// Of one that people look at.
  static let shownLimit = 2048
  private static let version: UInt8 = 1

  init(_ trace: RouteTrace, limit: Int = PackedTrace.limit) {
    startedAt = trace.startedAt
    var detail = TraceDetail()
    var packed = Self.pack(trace, detail)
    while packed.count > limit, let less = detail.less {
      detail = less
      packed = Self.pack(trace, detail)
    }
    bytes = packed
  }

  /// - Parameter bytes: those of a file.
  init(read bytes: [UInt8]) throws(CodingDamage) {
    self.bytes = bytes
    guard bytes.count <= Self.shownLimit else { throw CodingDamage() }
    startedAt = try Self.unpack(bytes).startedAt
  }

  /// `nil` for bytes that are no packed trace.
  var trace: RouteTrace? { try? Self.unpack(bytes) }

  private static func pack(_ trace: RouteTrace, _ detail: TraceDetail) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes.append(version)
    writer.signed(trace.startedAt.microseconds)
    writer.signed(trace.elapsed.microseconds)
    writer.text(trace.host.printable(maxBytes: 100))
    writer.place(trace.target)
    writer.bytes.append(code(trace.method))
    writer.text(trace.why.printable(maxBytes: 240))
    writer.count(min(max(trace.flows, 0), 255))
    writer.end(trace.end)
    writer.optional(trace.mtu.map(Int64.init))
    let narrowings = trace.narrowings.prefix(4)
    writer.count(narrowings.count)
    for narrowing in narrowings {
      writer.optional(narrowing.ttl.map(Int64.init))
      writer.address(narrowing.by)
      writer.signed(Int64(narrowing.mtu))
      writer.bytes.append(narrowing.isSilent ? 1 : 0)
    }
    let hops = trace.hops.prefix(detail.hops)
    writer.count(hops.count)
    for hop in hops { writer.hop(hop, detail) }
    return writer.bytes
  }

  private static func unpack(_ bytes: [UInt8]) throws(CodingDamage) -> RouteTrace {
    var reader = ByteReader(bytes)
    guard try reader.byte() == version else { throw CodingDamage() }
    let started = Timestamp(microseconds: try reader.signed(in: 0...PackedTrace.farthest))
    let elapsed = Duration.microseconds(try reader.signed(in: 0...PackedTrace.longest))
    let host = try reader.text() ?? ""
    let target = try reader.place()
    guard let method = try Self.method(try reader.byte()) else { throw CodingDamage() }
    var trace = RouteTrace(
      host: host, target: target, startedAt: started, elapsed: elapsed, method: method,
      why: try reader.text() ?? "", flows: Int(try reader.unsigned(through: 255)), end: .silent(after: 0))
    trace.end = try reader.end()
    trace.mtu = try reader.optional().flatMap(PackedTrace.small)
    for _ in 0..<(try reader.count()) {
      let ttl = try reader.optional().flatMap(PackedTrace.small)
      let by = try reader.address()
      let mtu = Int(try reader.signed(in: 0...PackedTrace.widest))
      trace.narrowings.append(TraceNarrowing(ttl: ttl, by: by, mtu: mtu, isSilent: try reader.byte() == 1))
    }
    for _ in 0..<(try reader.count()) { trace.hops.append(try reader.hop()) }
    guard reader.atEnd else { throw CodingDamage() }
    return trace
  }

  /// From 1; 0: none.
  fileprivate static func code(_ method: TraceMethod) -> UInt8 {
    switch method {
    case .tcp: 1
    case .udp: 2
    case .icmp: 3
    }
  }

  fileprivate static func method(_ code: UInt8) throws(CodingDamage) -> TraceMethod? {
    switch code {
    case 0: nil
    case 1: .tcp
    case 2: .udp
    case 3: .icmp
    default: throw CodingDamage()
    }
  }

  /// The year 9999, a day, and the largest packet of IPv6: what lies beyond is damage.
  fileprivate static let farthest: Int64 = 253_402_300_799_000_000
  fileprivate static let longest: Int64 = 86_400_000_000
  fileprivate static let widest: Int64 = 1 << 32

  /// `nil` for a number out of the format's range.
  fileprivate static func small(_ value: Int64) -> Int? { (0...widest).contains(value) ? Int(value) : nil }
}

/// How much of a trace is written.
private struct TraceDetail {
  var hops = 64
  var answers = 8
  /// Answers of a hop that keep their name and network.
  var named = 8
  /// Bytes of a name.
  var name = 60

  /// `nil` where nothing is left to leave out.
  var less: TraceDetail? {
    var less = self
    if named > 1 {
      less.named = 1
    } else if name > 30 {
      less.name = 30
    } else if answers > 3 {
      less.answers = 3
    } else if named > 0 {
      less.named = 0
    } else if answers > 1 {
      less.answers = 1
    } else if hops > 4 {
      less.hops = hops - max(1, hops / 8)
    } else {
      return nil
    }
    return less
  }
}

extension ByteWriter {
  fileprivate mutating func address(_ address: IPAddress?) { blob(address?.bytes ?? []) }

  mutating func place(_ place: SocketAddress) {
    address(place.address)
    unsigned(UInt64(place.port))
    unsigned(UInt64(place.scope))
    address(place.source)
  }

  fileprivate mutating func end(_ end: TraceEnd) {
    switch end {
    case .reached(let says):
      bytes.append(0)
      text(says.printable(maxBytes: 60))
    case .refused(let by, let ttl, let says):
      bytes.append(1)
      address(by)
      count(min(max(ttl, 0), 255))
      text(says.printable(maxBytes: 80))
    case .silent(let ttl):
      bytes.append(2)
      count(min(max(ttl, 0), 255))
    case .loop(let ttl):
      bytes.append(3)
      count(min(max(ttl, 0), 255))
    case .fault(let why):
      bytes.append(4)
      text(why.printable(maxBytes: 120))
    }
  }

  fileprivate mutating func hop(_ hop: TraceHop, _ detail: TraceDetail) {
    count(min(max(hop.ttl, 0), 255))
    count(min(max(hop.sent, 0), 100_000))
    bytes.append(hop.method.map(PackedTrace.code) ?? 0)
    let answers = hop.answers.prefix(detail.answers)
    count(answers.count)
    for (place, answer) in answers.enumerated() {
      self.answer(answer, place < detail.named ? detail.name : 0)
    }
  }

  private mutating func answer(_ answer: TraceAnswer, _ name: Int) {
    address(answer.address)
    text(name == 0 ? nil : answer.name?.printable(maxBytes: name))
    text(name == 0 ? nil : answer.network?.printable(maxBytes: min(name, 40)))
    count(min(max(answer.received, 0), 100_000))
    for time in [answer.best, answer.average, answer.worst] { unsigned(UInt64(max(0, time.microseconds))) }
    optional(answer.replyTTL.map(Int64.init))
    var flows: UInt64 = 0
    for flow in answer.flows where (0..<8).contains(flow) { flows |= 1 << UInt64(flow) }
    unsigned(flows)
    let labels = answer.labels.prefix(4)
    count(labels.count)
    for label in labels {
      count(min(max(label.label, 0), 1 << 20))
      count(min(max(label.ttl, 0), 255))
    }
    text(answer.says?.printable(maxBytes: 40))
  }
}

extension ByteReader {
  fileprivate mutating func address() throws(CodingDamage) -> IPAddress? {
    let bytes = try blob()
    guard !bytes.isEmpty else { return nil }
    guard let address = IPAddress(bytes: bytes) else { throw CodingDamage() }
    return address
  }

  mutating func place() throws(CodingDamage) -> SocketAddress {
    guard let address = try address() else { throw CodingDamage() }
    let port = UInt16(truncatingIfNeeded: try unsigned(through: 65_535))
    let scope = UInt32(truncatingIfNeeded: try unsigned(through: UInt64(UInt32.max)))
    return SocketAddress(address, port: port, scope: scope, source: try self.address())
  }

  fileprivate mutating func end() throws(CodingDamage) -> TraceEnd {
    switch try byte() {
    case 0: return .reached(try text() ?? "")
    case 1:
      let by = try address()
      return .refused(by: by, ttl: try ttl(), says: try text() ?? "")
    case 2: return .silent(after: try ttl())
    case 3: return .loop(from: try ttl())
    case 4: return .fault(try text() ?? "")
    default: throw CodingDamage()
    }
  }

  private mutating func ttl() throws(CodingDamage) -> Int { Int(try unsigned(through: 255)) }

  fileprivate mutating func hop() throws(CodingDamage) -> TraceHop {
    var hop = TraceHop(ttl: try ttl(), sent: Int(try unsigned(through: 100_000)))
    hop.method = try PackedTrace.method(try byte())
    for _ in 0..<(try count()) { hop.answers.append(try answer()) }
    return hop
  }

  private mutating func answer() throws(CodingDamage) -> TraceAnswer {
    guard let address = try address() else { throw CodingDamage() }
    let (name, network) = (try text(), try text())
    let received = Int(try unsigned(through: 100_000))
    let (best, average, worst) = (try time(), try time(), try time())
    let replyTTL = try optional().flatMap(PackedTrace.small)
    let flows = try unsigned(through: 255)
    var answer = TraceAnswer(
      address: address, received: received, best: best, average: average, worst: worst,
      flows: (0..<8).filter { flows >> UInt64($0) & 1 == 1 }, name: name, network: network, replyTTL: replyTTL
    )
    for _ in 0..<(try count()) {
      let label = Int(try unsigned(through: 1 << 20))
      answer.labels.append(MPLSLabel(label: label, ttl: try ttl()))
    }
    answer.says = try text()
    return answer
  }

  private mutating func time() throws(CodingDamage) -> Duration {
    .microseconds(Int64(try unsigned(through: UInt64(PackedTrace.longest))))
  }
}
