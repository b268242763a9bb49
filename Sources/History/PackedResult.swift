// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A full result in as few bytes as it needs; as plain structs one takes some 1,400, of which hardly any say something.
/// Names are shared with the check, what every result has is written one behind the other, and what few have stands
/// beside it.
final class PackedResult: Sendable {
  private let id: UniqueID
  private let checkID: UniqueID
  private let check: String
  private let target: String
  private let bytes: [UInt8]
  private let rare: Rare?
  private let type: CheckType
  let trigger: Trigger
  private let status: ResultStatus
  private let state: CheckState
  private let reason: Reason
  private let phase: Phase?
  private let maintenance: Bool

  /// Facts of some kinds of check only, and what is seldom or irregular.
  private final class Rare: Sendable {
    let tls: Box<TLSFacts>?
    let dns: Box<DNSFacts>?
    let ping: Box<PingFacts>?
    let dialog: [DialogStepFacts]
    let addresses: [AddressVerdict]
    /// Empty: there was one, and it is the result.
    let attempts: [AttemptFacts]
    let confirmation: Box<QuorumVerdict>?
    /// It has times below a nanosecond.
    let whole: Box<CheckResult>?

    init?(_ result: CheckResult, attempts: [AttemptFacts], isExact: Bool) {
      let facts = result.facts
      guard
        facts.tls != nil || facts.dns != nil || facts.ping != nil || !facts.dialog.isEmpty || !isExact
          || !facts.addresses.isEmpty || !attempts.isEmpty || result.confirmation != nil
      else { return nil }
      tls = facts.tls.map(Box.init)
      dns = facts.dns.map(Box.init)
      ping = facts.ping.map(Box.init)
      confirmation = result.confirmation.map(Box.init)
      (dialog, addresses, self.attempts) = (facts.dialog, facts.addresses, attempts)
      whole = isExact ? nil : Box(result)
    }
  }

  private final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  init(_ result: CheckResult) {
    var packer = ResultPacker()
    let isPlain = result.attempts.count == 1 && result.attempts[0] == AttemptFacts(onlyOneOf: result)
    packer.add(result, isPlain: isPlain)
    // Of its own size: the writer's has spare places.
    bytes = Array(packer.writer.bytes[...])
    rare = Rare(result, attempts: isPlain ? [] : result.attempts, isExact: packer.isExact)
    (id, checkID, check, target) = (result.id, result.checkID, result.check, result.target)
    (type, trigger, status, state) = (result.type, result.trigger, result.status, result.state)
    (reason, phase, maintenance) = (result.reason, result.phase, result.maintenance)
  }

  /// The certificates that the server presented.
  var chain: [CertificateFacts]? { rare?.tls?.value.chain }

  var result: CheckResult {
    if let whole = rare?.whole { return whole.value }
    var result = CheckResult(
      id: id, checkID: checkID, check: check, type: type, target: target, trigger: trigger,
      scheduledAt: .epoch, startedAt: .epoch, late: .zero, status: status, state: state, reason: reason,
      phase: phase, maintenance: maintenance)
    var reader = ByteReader(bytes)
    // Written above and never outside of memory: there is no damage to find.
    let isPlain = (try? reader.fill(&result)) ?? false
    if let rare {
      (result.facts.tls, result.facts.dns, result.facts.ping) = (
        rare.tls?.value, rare.dns?.value, rare.ping?.value
      )
      (result.facts.dialog, result.facts.addresses) = (rare.dialog, rare.addresses)
      result.confirmation = rare.confirmation?.value
    }
    result.attempts = isPlain ? [AttemptFacts(onlyOneOf: result)] : rare?.attempts ?? []
    return result
  }
}

extension AttemptFacts {
  /// The attempt of a result that has no other.
  fileprivate init(onlyOneOf result: CheckResult) {
    self.init(
      startedAt: result.startedAt, status: result.status, reason: result.reason,
      responseTime: result.facts.responseTime)
  }
}

/// Writes what `ByteReader.fill(_:)` reads.
private struct ResultPacker {
  var writer = ByteWriter()
  /// All times are whole nanoseconds, which is what is written.
  private(set) var isExact = true

  init() { writer.bytes.reserveCapacity(160) }

  mutating func add(_ result: CheckResult, isPlain: Bool) {
    let facts = result.facts
    flag(isPlain)
    writer.signed(result.scheduledAt.microseconds)
    writer.signed(result.startedAt.microseconds &- result.scheduledAt.microseconds)
    time(result.late)
    text(result.message)
    optional(facts.responseTime)
    timings(facts.timings)
    transport(facts.tcp)
    writer.count(facts.hops.count)
    for hop in facts.hops {
      text(hop.url == result.target ? nil : hop.url)
      writer.optional(hop.statusCode.map(Int64.init))
      text(hop.address)
      let isAll = hop.timings == facts.timings
      flag(isAll)
      if !isAll { timings(hop.timings) }
      // Of the last hop it is the result's own.
      flag(hop.tcp == facts.tcp)
      if hop.tcp != facts.tcp { transport(hop.tcp) }
    }
    peer(facts.peer)
    writer.optional(facts.statusCode.map(Int64.init))
    text(facts.httpVersion)
    flag(facts.truncated)
    writer.count(facts.assertions.count)
    for assertion in facts.assertions {
      text(assertion.what)
      text(assertion.expected)
      text(assertion.actual)
      flag(assertion.ok)
    }
    text(facts.excerpt)
  }

  private mutating func flag(_ value: Bool) { writer.bytes.append(value ? 1 : 0) }

  private mutating func time(_ value: Duration) {
    let whole = value.wholeNanoseconds
    if whole == nil { isExact = false }
    writer.signed(whole ?? 0)
  }

  private mutating func optional(_ value: Duration?) {
    flag(value != nil)
    if let value { time(value) }
  }

  private mutating func timings(_ timings: Timings) {
    optional(timings.dns)
    optional(timings.connect)
    optional(timings.startTLS)
    optional(timings.tls)
    optional(timings.firstByte)
    optional(timings.transfer)
    optional(timings.total)
  }

  private mutating func transport(_ tcp: TransportFacts?) {
    flag(tcp != nil)
    guard let tcp else { return }
    for number in [
      UInt32(tcp.synRetransmits), tcp.retransmits, tcp.times.roundTrip, tcp.times.variance, tcp.times.timeout,
      UInt32(tcp.segmentSize), tcp.pathMTU,
    ] {
      writer.unsigned(UInt64(number))
    }
  }

  /// One more than its bytes; 0 for none.
  private mutating func text(_ value: String?) {
    guard let value else { return writer.count(0) }
    writer.count(value.utf8.count + 1)
    writer.bytes.append(contentsOf: value.utf8)
  }

  private mutating func peer(_ peer: SocketAddress?) {
    flag(peer != nil)
    guard let peer else { return }
    address(peer.address)
    writer.unsigned(UInt64(peer.port))
    writer.unsigned(UInt64(peer.scope))
    flag(peer.source != nil)
    if let source = peer.source { address(source) }
  }

  private mutating func address(_ address: IPAddress) {
    flag(address.version == 6)
    switch address {
    case .v4(let bits): writer.fixed32(bits)
    case .v6(let high, let low): writer.id(UniqueID(high: high, low: low))
    }
  }
}

extension ByteReader {
  /// Returns whether its only attempt is the result itself.
  fileprivate mutating func fill(_ result: inout CheckResult) throws(CodingDamage) -> Bool {
    let isPlain = try flag()
    result.scheduledAt = Timestamp(microseconds: try signed())
    result.startedAt = Timestamp(microseconds: result.scheduledAt.microseconds &+ (try signed()))
    result.late = .nanoseconds(try signed())
    result.message = try sharedText()
    var facts = ProbeFacts()
    facts.responseTime = try optionalTime()
    facts.timings = try timings()
    facts.tcp = try transport()
    for _ in 0..<(try count()) {
      let url = try sharedText() ?? result.target
      let statusCode = try optional().map { Int($0) }
      let address = try sharedText()
      let isAll = try flag()
      let timings = isAll ? facts.timings : try self.timings()
      let tcp = try flag() ? facts.tcp : try transport()
      facts.hops.append(
        Hop(url: url, statusCode: statusCode, address: address, timings: timings, tcp: tcp))
    }
    facts.peer = try peer()
    facts.statusCode = try optional().map { Int($0) }
    facts.httpVersion = try sharedText()
    facts.truncated = try flag()
    for _ in 0..<(try count()) {
      let (what, expected, actual) = (try sharedText(), try sharedText(), try sharedText())
      facts.assertions.append(
        Assertion(what: what ?? "", expected: expected ?? "", actual: actual ?? "", ok: try flag()))
    }
    facts.excerpt = try sharedText()
    result.facts = facts
    return isPlain
  }

  private mutating func flag() throws(CodingDamage) -> Bool { try byte() == 1 }

  private mutating func optionalTime() throws(CodingDamage) -> Duration? {
    try flag() ? .nanoseconds(try signed()) : nil
  }

  private mutating func timings() throws(CodingDamage) -> Timings {
    Timings(
      dns: try optionalTime(), connect: try optionalTime(), startTLS: try optionalTime(),
      tls: try optionalTime(), firstByte: try optionalTime(), transfer: try optionalTime(),
      total: try optionalTime())
  }

  private mutating func transport() throws(CodingDamage) -> TransportFacts? {
    guard try flag() else { return nil }
    return TransportFacts(
      synRetransmits: UInt8(clamping: try unsigned()), retransmits: UInt32(clamping: try unsigned()),
      roundTrip: UInt32(clamping: try unsigned()), variance: UInt32(clamping: try unsigned()),
      timeout: UInt32(clamping: try unsigned()), segmentSize: UInt16(clamping: try unsigned()),
      pathMTU: UInt32(clamping: try unsigned()))
  }

  private mutating func sharedText() throws(CodingDamage) -> String? {
    let size = try unsigned()
    return size == 0 ? nil : String(decoding: try take(Int(clamping: size - 1)), as: UTF8.self)
  }

  private mutating func peer() throws(CodingDamage) -> SocketAddress? {
    guard try flag() else { return nil }
    let address = try self.address()
    let (port, scope) = (UInt16(clamping: try unsigned()), UInt32(clamping: try unsigned()))
    let source = try flag() ? try self.address() : nil
    return SocketAddress(address, port: port, scope: scope, source: source)
  }

  private mutating func address() throws(CodingDamage) -> IPAddress {
    guard try flag() else { return .v4(try fixed32()) }
    let bits = try id()
    return .v6(high: bits.high, low: bits.low)
  }
}

extension Duration {
  /// `nil` for what is no whole number of nanoseconds, or beyond 292 years.
  fileprivate var wholeNanoseconds: Int64? {
    let (seconds, attoseconds) = components
    let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (parts, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (whole, isBeyond) = scaled.addingReportingOverflow(parts)
    return isTooLong || isBeyond || rest != 0 ? nil : whole
  }
}
