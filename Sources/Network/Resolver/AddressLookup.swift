// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Result of the answers for a host name: addresses, or why there are none.
struct AddressLookup: Hashable, Sendable {
  static let addressLimit = 16

  var addresses: [IPAddress] = []
  var failure: Verdict?
  var elapsed = Duration.zero
  /// The part of it for which this machine held the servers back.
  var held = Duration.zero
  /// The names that the answer led through, from the one that was asked for on.
  private(set) var aliases: [String] = []
  /// There are addresses, but they are not all, and all were wanted.
  private(set) var isPartial = false
  /// How long the other family was then waited for, at most.
  var patience = Duration.zero
  /// The server that answered; of two families, the one whose addresses come first.
  private(set) var server: SocketAddress?
  /// The server's extended error in our words: its own text may be anything (RFC 8914).
  private(set) var remark: String?
  /// The extended error with the server's text, which is shown on this machine alone.
  private(set) var ownWords: String?
  /// Behind words that there is no record: where the aliases end.
  private var ending = ""

  /// Nothing was asked.
  init(failure: Verdict) { self.failure = failure }

  /// Follows the aliases in the answer from the name that was asked for; what is not on that path is not taken.
  ///
  /// - Parameter server: whom the check itself chose to ask; nil: the machine's name servers.
  init(_ reply: DNSReply, to question: DNSQuestion, from server: Endpoint? = nil) {
    (elapsed, held, self.server) = (reply.elapsed, reply.held, reply.server)
    let path = reply.message.map { AliasPath(of: $0, for: question) }
    aliases = path?.names.map(\.description) ?? []
    if let path, !path.isCircle, path.records.isEmpty { ending = path.ending }
    switch reply.content {
    case .failure(let verdict):
      failure =
        server.map { Self.about($0, verdict, question.name, isCut: reply.truncated) }
        ?? Self.aboutServers(verdict, question.name)
    case .message(let message) where message.isReferral:
      failure = Verdict(
        .dnsRefused, phase: .dns, message: "the name server looks no names up for others: \(question.name)")
    case .message(let message) where message.rcode == .noError:
      if let path { take(path, question) }
    case .message(let message): failure = Self.refusal(message.rcode, question.name, ending)
    }
    let error = reply.message?.extendedErrors.first
    (remark, ownWords) = (error?.purpose, error?.description)
    failure = failure?.with(remark: remark)
  }

  private mutating func take(_ path: AliasPath, _ question: DNSQuestion) {
    if path.isCircle {
      let words = "the aliases of \(question.name) lead in a circle"
      failure = Verdict(.dnsMalformed, phase: .dns, message: words)
    } else if path.records.isEmpty {
      let kind = question.type == .a ? "IPv4" : "IPv6"
      failure = Verdict(
        .dnsNoData, phase: .dns, message: "\(question.name) has no \(kind) address\(ending)")
    } else {
      let all = path.records.compactMap { if case .address(let address) = $0.value { address } else { nil } }
      addresses = Array(all.withoutRepetitions().prefix(Self.addressLimit))
    }
  }

  /// IPv6 and IPv4 together. With `scope` each, addresses of one family are not enough while those of the other are
  /// unknown.
  init(merging lookups: [AddressLookup], of name: DNSName, scope: ResolveScope) {
    let addresses = lookups.flatMap(\.addresses)
    aliases = lookups.flatMap(\.aliases).withoutRepetitions()
    remark = lookups.lazy.compactMap(\.remark).first
    ownWords = lookups.lazy.compactMap(\.ownWords).first
    ending = lookups.lazy.map(\.ending).first { !$0.isEmpty } ?? ""
    server = (lookups.first { !$0.addresses.isEmpty } ?? lookups.first { $0.server != nil })?.server
    elapsed = lookups.map(\.elapsed).max() ?? .zero
    held = elapsed - (lookups.map { $0.elapsed - $0.held }.max() ?? .zero)
    if lookups.count == 1 { elapsed += lookups[0].patience }
    // A server that fails for one family says more than "no such record" or "no such name" for the other.
    let failures = lookups.compactMap(\.failure).filter { $0.reason != .dnsNoData }
    let telling = failures.first { $0.reason != .dnsNXDomain } ?? failures.first
    if addresses.isEmpty {
      let none = Verdict(.dnsNoData, phase: .dns, message: "\(name) exists but has no address\(ending)")
      failure = telling ?? none.with(remark: remark)
    } else if scope == .each, let telling {
      isPartial = true
      failure = Self.partial(telling)
    } else {
      self.addresses = Self.order(addresses) { SocketAddress($0, port: 9).hasRoute }
    }
  }

  /// Failure of the lookup for one family of a name that has addresses of the other.
  ///
  /// Such a name exists: NXDOMAIN for the other family is a fault of the name server (RFC 4074 4.2), and no word about
  /// the target.
  private static func partial(_ failure: Verdict) -> Verdict {
    let words = failure.message ?? failure.reason.rawValue
    guard failure.reason == .dnsNXDomain else {
      return Verdict(
        failure.reason, phase: failure.phase, message: "only a part of the addresses is known: \(words)",
        isUnknown: failure.isUnknown)
    }
    return Verdict(
      .dnsMalformed, phase: failure.phase,
      message:
        "the name server contradicts itself: it gives addresses of one IP version, and for the other says:"
        + " \(words)", isUnknown: failure.isUnknown)
  }

  /// In their order, those of a family that this machine has no route for last: a probe that tries one address takes the
  /// first.
  static func routed(_ addresses: [IPAddress], canReach: (IPAddress) -> Bool) -> [IPAddress] {
    guard Set(addresses.map(\.version)).count > 1 else { return addresses }
    let reached = Set(addresses.filter(canReach))
    return addresses.filter(reached.contains) + addresses.filter { !reached.contains($0) }
  }

  /// IPv6 and IPv4 by turns, IPv6 first (RFC 8305 4), unless this machine has no route for IPv6: then it comes
  /// last. At most 16, both families among them.
  static func order(_ addresses: [IPAddress], canReach: (IPAddress) -> Bool) -> [IPAddress] {
    let v6 = addresses.filter { $0.version == 6 }
    let v4 = addresses.filter { $0.version == 4 }
    guard let first = v6.first, !v4.isEmpty else { return Array(addresses.prefix(addressLimit)) }
    guard canReach(first) else { return Array((v4.prefix(addressLimit - 1) + v6).prefix(addressLimit)) }
    var ordered: [IPAddress] = []
    for index in 0..<max(v6.count, v4.count) {
      if index < v6.count { ordered.append(v6[index]) }
      if index < v4.count { ordered.append(v4[index]) }
    }
    return Array(ordered.prefix(addressLimit))
  }

  private static func refusal(_ code: DNSResponseCode, _ name: DNSName, _ ending: String) -> Verdict {
    switch code {
    case .nxDomain: Verdict(.dnsNXDomain, phase: .dns, message: "\(name) does not exist\(ending)")
    case .servFail: Verdict(.dnsServfail, phase: .dns, message: "the name server failed for \(name)")
    case .refused: Verdict(.dnsRefused, phase: .dns, message: "the name server refuses to answer for \(name)")
    default: Verdict(.dnsRcode, phase: .dns, message: "the name server answered \(code) for \(name)")
    }
  }

  /// The server of the check's own choice, which is part of what it watches. It is called as the check calls it.
  private static func about(
    _ server: Endpoint, _ verdict: Verdict, _ name: DNSName, isCut: Bool
  ) -> Verdict {
    let refused = ConnectionWords.failed(ECONNREFUSED)
    let words =
      switch verdict.reason {
      case .dnsTimeout: " did not answer for \(name)"
      case .dnsMalformed: " sent a malformed answer for \(name)"
      case .connectRefused: isCut ? " cut its answer over UDP, and over TCP: \(refused)" : ": \(refused)"
      case .localFault: " cannot be asked: \(verdict.message ?? "a fault of this machine")"
      default: isCut ? " cut its answer over UDP, and gave none over TCP" : " cannot be reached"
      }
    return Verdict(verdict.reason, phase: .dns, message: "resolver \(server)\(words)")
  }

  /// The machine's own name servers refuse, reset or cannot be reached: that is no word about the name.
  /// A verdict that may be delivered does not name the servers.
  private static func aboutServers(_ verdict: Verdict, _ name: DNSName) -> Verdict {
    switch verdict.reason {
    case .dnsTimeout:
      return Verdict(.dnsTimeout, phase: .dns, message: "no name server answered for \(name)")
    case .dnsMalformed:
      return Verdict(
        .dnsMalformed, phase: .dns, message: "the name server sent a malformed answer for \(name)")
    default:
      let message = "this machine's name server: \(verdict.message ?? verdict.reason.rawValue)"
      return Verdict(.localFault, phase: .dns, message: message)
    }
  }
}

extension Verdict {
  /// - Parameter remark: of the name server; `nil`: it made none.
  package func with(remark: String?) -> Verdict {
    guard let remark, let message else { return self }
    return with(message: "\(message); it says: \(remark)")
  }
}
