// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Verdict on a whole trace. Pure.
struct TraceVerdict: Hashable, Sendable {
  let request: TraceRequest
  /// By the trace's own method.
  let book: TraceBook
  let circle: TraceCircle?
  /// Answer to a packet with the machine's own TTL that waited longer. `nil` for none.
  var scout: TraceReply?
  /// This machine could not send: an error number.
  var fault: Int32?
  /// This machine itself, where it refuses packets; `nil` where it does not.
  var own: Own?
  /// By other methods, behind what this one shows.
  var others: [TraceBook] = []
  /// The TTL whose packets are answered in the target's name before they are there.
  var front: Int?

  struct Own: Hashable, Sendable {
    var address: IPAddress
    /// The cause on this machine's side, for people. `nil` where its side is sound: the target on its network is absent.
    var fault: String?
  }

  /// Addresses that refused packets.
  var refusers: [IPAddress] { book.ends.compactMap { $0?.by } + (scout.map { [$0.from] } ?? []) }

  private var targetEnds: [TraceBook.End] {
    book.ends.compactMap { $0 }.filter { if case .target = $0.meaning { true } else { false } }
  }

  var end: TraceEnd {
    if let fault { return .fault(Self.words(fault, request.target)) }
    if let end = targetEnds.min(by: { $0.ttl < $1.ttl }), let words = end.meaning.words {
      return reached(words)
    }
    switch circle {
    case .loop(let from): return .loop(from: from)
    case .single(let address, let from):
      let says = "answers to every TTL from \(from) on, so that packets go no further"
      return .refused(by: address, ttl: from, says: says)
    case nil: break
    }
    if let end = book.ends.compactMap({ $0 }).min(by: { $0.ttl < $1.ttl }) {
      return refused(end.by, end.meaning, seenAt: end.ttl)
    }
    if let scout {
      if case .target(let words) = scout.meaning {
        return .reached("\(words), beyond the last hop that was looked at")
      }
      return refused(scout.from, scout.meaning, seenAt: max(1, book.lastRouter))
    }
    return .silent(after: book.lastRouter)
  }

  private func reached(_ words: String) -> TraceEnd {
    guard let front else { return .reached(words) }
    let place = "something behind hop \(front - 1), as the target is farther away"
    return words == "refused"
      ? .refused(by: nil, ttl: front - 1, says: "reset by \(place)") : .reached("\(words) by \(place)")
  }

  /// - Parameter ttl: place of a router that passed no packet on; this machine's is 0.
  private func refused(_ by: IPAddress, _ meaning: AnswerMeaning, seenAt ttl: Int) -> TraceEnd {
    if by == own?.address, let fault = own?.fault { return .fault(fault) }
    let place = by == own?.address ? 0 : book.ttl(of: by) ?? ttl
    return .refused(by: by, ttl: place, says: meaning.words ?? "nothing")
  }

  /// The way, as far as it was seen.
  var hops: [TraceHop] {
    var hops = book.hops(to: ownLast)
    for (index, hop) in hops.enumerated() where hop.answers.isEmpty || front.map({ hop.ttl >= $0 }) ?? false {
      if let other = self.other(hop.ttl) { hops[index] = other }
    }
    let last = others.map(Self.last).max() ?? 0
    while hops.count < last {
      let ttl = hops.count + 1
      hops.append(other(ttl) ?? TraceHop(ttl: ttl, sent: others.reduce(0) { $0 + $1.sent(at: ttl) }))
    }
    return hops
  }

  /// The last TTL of what the trace's own method shows.
  private var ownLast: Int {
    let ends = book.ends.compactMap { $0?.ttl }
    if let last = (targetEnds.map(\.ttl).max() ?? ends.min()) { return last }
    let shown = circle.map { min(book.lastAnswered, $0.from + TraceCircle.shown - 1) }
    if let shown { return shown }
    let tried = (0...request.maxTTL).last { book.sent(at: $0) > 0 } ?? 0
    return min(tried, book.lastAnswered + 3)
  }

  private func other(_ ttl: Int) -> TraceHop? {
    for other in others where other.isAnswered(ttl) && ttl <= Self.last(other) {
      guard var hop = other.hops(to: ttl).last else { continue }
      hop.method = other.method
      return hop
    }
    return nil
  }

  /// Where a book's own way ends.
  private static func last(_ book: TraceBook) -> Int {
    book.ends.compactMap { $0?.ttl }.min() ?? book.lastAnswered
  }

  /// Words on the other methods, behind why this one was taken; empty where there are none.
  var note: String {
    guard !others.isEmpty else { return "" }
    let names = others.map(\.method.title).joined(separator: " and ")
    let cause =
      front.map { "what answers TCP at hop \($0) is not the target" }
      ?? (book.unnamed > 0 && book.lastAnswered == 0
        ? "this kernel does not say who answered TCP" : "nothing answers TCP behind hop \(book.lastRouter)")
    return "; \(cause), so \(names) \(plural("was", others.count, "were")) tried for the rest: "
      + others.map { "\($0.method.title) \(Self.fate($0))" }.joined(separator: ", ")
  }

  private static func fate(_ book: TraceBook) -> String {
    if let end = book.ends.compactMap({ $0 }).min(by: { $0.ttl < $1.ttl }) {
      if case .target = end.meaning { return "reaches the target at hop \(end.ttl)" }
      return "is refused at hop \(end.ttl)"
    }
    return book.lastAnswered == 0 ? "is not answered either" : "is answered up to hop \(book.lastAnswered)"
  }

  /// Meaning of this machine's own error.
  static func words(_ code: Int32, _ target: SocketAddress) -> String {
    switch code {
    case ENETUNREACH, EHOSTUNREACH: "\(NarrowCause.missingRoute.rawValue) to \(target.address)"
    case EADDRNOTAVAIL where target.source != nil:
      "this machine does not have the address \(target.source.map(\.description) ?? "") that is to be dialled from"
    case EACCES where "\(target.address)" == "255.255.255.255":
      "255.255.255.255 is the broadcast address of the own network: no way leads there"
    case EACCES:
      "this machine sends nothing to \(target.address): it is a network's broadcast address, or a route or rule of this machine forbids it"
    case EPERM: "this machine's own rules keep packets to \(target.address) in: look at its firewall"
    case EMFILE, ENFILE: "out of file descriptors: raise the limit"
    default: "cannot send to \(target.address): \(errorText(code).lowercased())"
    }
  }
}

extension TraceMethod {
  /// In a sentence.
  package var title: String {
    switch self {
    case .tcp: "TCP"
    case .udp: "UDP"
    case .icmp: "ICMP"
    }
  }
}
