// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Finds the largest packet that goes the whole way unbroken, and the links that take less (RFC 1191, RFC 8201, RFC 4821):
/// packets of the size of this machine's own link to every TTL; where a router names a smaller size, again with that;
/// where packets vanish that small ones do not share the fate of, the size is found by halving. On the trace's thread.
final class SizeSearch {
  private let flow: PacketFlow
  private let book: TraceBook
  /// The last TTL at which small packets of this kind get an answer.
  private(set) var last = 0
  /// It was the target that answered one.
  private(set) var reachesTarget = false
  private let stop: TraceStop
  private let deadline: Instant
  private let patience: Duration
  private let least: Int
  private var size: Int

  private(set) var narrowings: [TraceNarrowing] = []
  /// `nil` where it was not found.
  private(set) var mtu: Int?

  /// `nil` where such packets cannot be sent.
  ///
  /// - Parameter length: the last TTL that is looked at.
  init?(
    _ kind: PacketFlow.Kind, _ target: SocketAddress, _ book: TraceBook, length: Int, wait: Duration,
    stop: TraceStop,
    until deadline: Instant
  ) {
    guard length > 0, let flow = PacketFlow(kind, to: target, unbroken: true) else { return nil }
    (self.flow, self.book, self.stop, self.deadline) = (flow, book, stop, deadline)
    patience = min(wait, max(.milliseconds(300), (book.worst ?? .zero) * 4))
    least = target.address.version == 4 ? 68 : 1280
    size = 65_535
    // Larger than any link but the loopback: the kernel says what its own takes.
    if case .tooLarge(let own) = flow.send(ttl: 1, size: 65_535) { size = own }
    if size < least { return nil }
    let small = look(at: 0, Array(1...length))
    (last, reachesTarget) = (small.passed.max() ?? 0, small.isTarget)
  }

  /// Results of one size along the path.
  private struct Look {
    /// TTLs at which a packet of that size got an answer.
    var passed: Set<Int> = []
    var isTarget = false
    /// The least TTL whose packet was too big, who said so, and what its next link takes.
    var refused: (ttl: Int, by: IPAddress, size: Int)?
  }

  func run() {
    guard last > 0 else { return }
    // Each time smaller by what a router said or by what was found; ten links that narrow are more than there are.
    for _ in 0..<10 {
      var look = look(at: size, Array(1...last))
      if look.refused == nil, !look.passed.contains(last) {
        // Packets get lost, and routers limit how often they answer: once more what was silent.
        let again = self.look(at: size, Array(1...last).filter { !look.passed.contains($0) })
        look.passed.formUnion(again.passed)
        look.isTarget = look.isTarget || again.isTarget
        look.refused = again.refused
      }
      if let refused = look.refused {
        guard refused.size >= least, refused.size < size else { return }
        // A packet with this TTL was to go past the router before.
        let ttl = book.ttl(of: refused.by) ?? (refused.ttl > 1 ? refused.ttl - 1 : nil)
        narrowings.append(TraceNarrowing(ttl: ttl, by: refused.by, mtu: refused.size))
        size = refused.size
      } else if look.passed.contains(last) {
        if look.isTarget { mtu = size }
        return
      } else {
        guard let found = hole(look) else { return }
        narrowings.append(found)
        size = found.mtu
      }
    }
  }

  /// Where packets of this size vanish: behind the last TTL that answered one, if the next answers small ones.
  private func hole(_ look: Look) -> TraceNarrowing? {
    guard let next = (((look.passed.max() ?? 0) + 1)...last).first(where: { answers($0, 0) == true }) else {
      return nil
    }
    var (low, high) = (least, size)
    guard answers(next, size) == false else { return nil }
    while high - low > 1 {
      let middle = Self.middle(low, high)
      guard let isThrough = answers(next, middle) else { return nil }
      if isThrough { low = middle } else { high = middle }
    }
    if low == least, answers(next, least) != true { return nil }
    let ttl = (1..<next).last { book.router(at: $0) != nil }
    return TraceNarrowing(ttl: ttl, by: ttl.flatMap { book.router(at: $0) }, mtu: low, isSilent: true)
  }

  /// Sizes that links have first, as they are found with fewer packets.
  static func middle(_ low: Int, _ high: Int) -> Int {
    let usual = [
      576, 1006, 1280, 1300, 1360, 1380, 1400, 1420, 1436, 1450, 1460, 1472, 1480, 1492, 1500, 9000,
    ]
    // One more than a usual size is tried too, or it would only be known that it is at least that.
    let candidates = usual.flatMap { [$0, $0 + 1] }.filter { $0 > low && $0 < high }
    return candidates.isEmpty ? (low + high) / 2 : candidates[candidates.count / 2]
  }

  /// Whether a packet of that size, 0 for a small one, is answered there. `nil` where a small one is not either, so
  /// that it is not known.
  private func answers(_ ttl: Int, _ size: Int) -> Bool? {
    for _ in 0..<2 {
      if stop.isPulled || .now >= deadline { return nil }
      let look = look(at: size, [ttl])
      if !look.passed.isEmpty { return true }
      if size == 0 { continue }
      if look.refused != nil { return false }
    }
    if size == 0 { return nil }
    return self.look(at: 0, [ttl]).passed.isEmpty ? nil : false
  }

  private func look(at size: Int, _ ttls: [Int]) -> Look {
    var look = Look()
    var sent: [UInt16: Int] = [:]
    for ttl in ttls {
      if case .sent(let sequence) = flow.send(ttl: ttl, size: size == 0 ? nil : size) { sent[sequence] = ttl }
    }
    let until = min(deadline, .now + patience)
    while !sent.isEmpty, !stop.isPulled, .now < until {
      stop.wait(for: [flow.number], until: until)
      for answer in flow.hear() {
        guard let ttl = sent.removeValue(forKey: answer.sequence) else { continue }
        switch answer.reply.meaning {
        case .tooBig(let bytes):
          if look.refused.map({ ttl < $0.ttl }) ?? true { look.refused = (ttl, answer.reply.from, bytes) }
        case .passesOn, .passesRewritten, .refusal: look.passed.insert(ttl)
        case .target:
          look.passed.insert(ttl)
          look.isTarget = true
        }
      }
    }
    for sequence in sent.keys { flow.forget(sequence) }
    return look
  }
}
