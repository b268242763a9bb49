// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Asks every name server of a zone for its SOA record.
///
/// The zone is the one the query's name lies in, as the check's own server sees it. Every address of every name
/// server is judged by the egress policy like any target, and asked by UDP without recursion.
struct SerialSurveyor: Sendable {
  /// Addresses asked; a zone with more is not one anybody runs.
  static let addressLimit = 64

  let reactor: Reactor
  let finder: TargetFinder
  let attempt: Attempt
  /// Of the zone's servers: 53, or that of the check's server.
  let port: UInt16
  /// Asks the check's server, until then.
  typealias Ask = @Sendable (DNSQuestion, Instant) async throws(CancellationError) -> DNSReply
  let ask: Ask
  var ownCause: LocalPath.Cause = LocalPath.cause

  func survey(
    of name: DNSName, until deadline: Instant
  ) async throws(CancellationError) -> SerialSurvey {
    var time = AttemptTime(until: deadline)
    let (zone, servers, failure) = try await delegation(of: name, within: &time)
    guard let zone else { return SerialSurvey(failure: failure ?? unknownZone(name)) }
    var targets: [(server: DNSName, address: SocketAddress)] = []
    var entries: [SerialSurvey.Entry] = []
    for server in servers {
      let endpoint = Endpoint(host: server.description, port: port)
      let begun = Instant.now
      switch try await finder.find(.init(endpoint, for: .dns), for: attempt, until: time.deadline) {
      case .found(let addresses, let name):
        time.spend(name?.spent)
        targets += addresses.map { (server, $0) }
      case .ended(let outcome):
        // Nobody says how much of it was ours: the time of all is bounded in any case.
        time.spend(begun.duration(to: .now))
        entries.append(.init(server: server, outcome: .ofUnresolved(outcome.verdict)))
      case .postponed:
        entries.append(.init(server: server, outcome: .unasked(.heldBack(for: .zero))))
      }
    }
    for target in targets.dropFirst(Self.addressLimit) {
      let words = "was not asked: more than \(Self.addressLimit) addresses"
      entries.append(
        .init(server: target.server, address: target.address.address, outcome: .failed(words)))
    }
    let asked = try await serials(Array(targets.prefix(Self.addressLimit)), zone, until: time.deadline)
    return SerialSurvey(zone: zone, entries: asked + entries)
  }

  private func unknownZone(_ name: DNSName) -> Verdict {
    Verdict(.dnsAnswer, phase: .assertion, message: "the server names no name servers of the zone of \(name)")
  }

  /// From the name upward: the first that has NS records is the zone.
  private func delegation(
    of name: DNSName, within time: inout AttemptTime
  ) async throws(CancellationError) -> (zone: DNSName?, servers: [DNSName], failure: Verdict?) {
    var candidate = name
    for _ in 0..<8 {
      let reply = try await ask(DNSQuestion(name: candidate, type: .ns), time.deadline)
      time.spend(reply.spent)
      guard case .message(let message) = reply.content else { return (nil, [], reply.failure) }
      if let found = message.delegation(of: candidate) { return (found.zone, found.servers, nil) }
      if let zone = message.zone, zone != candidate, zone.contains(candidate) {
        candidate = zone
      } else if let parent = candidate.parent {
        candidate = parent
      } else {
        break
      }
    }
    return (nil, [], nil)
  }

  private func serials(
    _ targets: [(server: DNSName, address: SocketAddress)], _ zone: DNSName,
    until deadline: Instant
  ) async throws(CancellationError) -> [SerialSurvey.Entry] {
    let entries = await withTaskGroup(of: (Int, SerialSurvey.Entry)?.self) { group in
      for (index, target) in targets.enumerated() {
        group.addTask {
          guard let outcome = try? await serial(of: zone, at: target.address, until: deadline) else {
            return nil
          }
          return (
            index, .init(server: target.server, address: target.address.address, outcome: outcome)
          )
        }
      }
      var entries: [(Int, SerialSurvey.Entry)] = []
      for await entry in group { if let entry { entries.append(entry) } }
      return Self.inOrder(entries)
    }
    if Task.isCancelled { throw CancellationError() }
    return entries
  }

  /// In the order of the servers, whichever answered first.
  static func inOrder(_ entries: [(Int, SerialSurvey.Entry)]) -> [SerialSurvey.Entry] {
    entries.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func serial(
    of zone: DNSName, at server: SocketAddress, until deadline: Instant
  ) async throws(CancellationError) -> SerialSurvey.Entry.Outcome {
    let client = DNSClient(reactor: reactor, phase: .answer)
    let reply = try await client.ask(
      DNSQuestion(name: zone, type: .soa), recursion: false, server: server, until: deadline)
    switch reply.onOwnPath(to: [server], ownCause).content {
    case .failure(let verdict) where verdict.reason.isLocal: return .unasked(verdict)
    case .failure(let verdict):
      let isSilence = verdict.reason == .dnsTimeout
      return .failed(isSilence ? "did not answer" : "did not answer: \(verdict.reason.rawValue)")
    case .message(let message):
      guard message.rcode == .noError else { return .failed("answered \(message.rcode)") }
      guard message.authoritative else { return .failed("is not authoritative for it") }
      let record = message.answers.first { $0.type == .soa && $0.name == zone }
      guard let serial = record?.soaSerial else { return .failed("has no SOA record of it") }
      return .serial(serial)
    }
  }
}

extension SerialSurvey.Entry.Outcome {
  /// A name server whose name leads nowhere is a broken delegation; what we may not or cannot ask is our affair.
  fileprivate static func ofUnresolved(_ verdict: Verdict) -> Self {
    if verdict.state == .unknown { return .unasked(verdict) }
    return .failed("has no address: \(verdict.reason.rawValue)")
  }
}

extension DNSRecord {
  /// The third word of an SOA record's data; names have no spaces in presentation format.
  var soaSerial: UInt32? {
    let words = data.split(separator: " ")
    return type == .soa && words.count == 7 ? UInt32(words[2]) : nil
  }
}

extension DNSMessage {
  /// The zone that this answer to a question for NS records puts the name in, with its name servers: the name's own, or
  /// those that a referral names. `nil` where it says neither; the root's servers are named by those that know nothing.
  func delegation(of name: DNSName) -> (zone: DNSName, servers: [DNSName])? {
    let referral = isReferral ? authority.first { $0.type == .ns && $0.name.contains(name) } : nil
    let zone = referral?.name ?? name
    guard referral == nil || zone != .root else { return nil }
    let servers = (referral == nil ? answers : authority).compactMap { record -> DNSName? in
      guard record.type == .ns, record.name == zone, case .name(let server) = record.value else { return nil }
      return server
    }
    guard !servers.isEmpty else { return nil }
    return (zone, Array(Set(servers)).sorted { $0.description < $1.description })
  }
}

extension DNSName {
  /// Without the first label; nil for the root.
  var parent: DNSName? {
    guard let length = wire.first, length > 0 else { return nil }
    return DNSName(wire: Array(wire.dropFirst(1 + Int(length))))
  }

  /// Whether `other` is this name or below it.
  func contains(_ other: DNSName) -> Bool {
    var name: DNSName? = other
    while let current = name {
      if current == self { return true }
      name = current.parent
    }
    return false
  }
}
