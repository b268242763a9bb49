// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The machine's resolver, done by ourselves: the hosts file, then the name servers of resolv.conf(5), A and AAAA
/// at once, over the reactor. nsswitch.conf is not read; its usual order, files then dns, is what happens.
///
/// Nothing is cached, so the time a name costs is in every probe that uses it.
package final class SystemResolver: HostResolving {
  private let files: ResolverFiles
  private let servers: NameServers
  /// Those that checks name themselves: their silence says nothing about the machine's.
  private let others: NameServers
  private let port: UInt16
  package let time: TimeSource

  /// Once one family has addresses, the other may take this long, four times as long at a second look, and no more than a
  /// quarter of the time that is left: some servers never answer for AAAA.
  private static let grace = Duration.milliseconds(500)

  /// The machine's own files and port 53.
  package convenience init(reactor: Reactor, time: TimeSource = .system) {
    self.init(
      reactor: reactor, resolvConf: "/etc/resolv.conf", hosts: "/etc/hosts", environment: .process, port: 53,
      time: time)
  }

  /// Other files, and a port for the servers in them, which the file itself cannot name.
  package init(
    reactor: Reactor, resolvConf: String, hosts: String,
    environment: ResolverConfiguration.Environment = .init(), port: UInt16,
    freshness: Duration = .seconds(2), time: TimeSource = .system,
    ownCause: @escaping LocalPath.Cause = LocalPath.cause
  ) {
    self.files = ResolverFiles(
      resolvConf: resolvConf, hosts: hosts, environment: environment, freshness: freshness, time: time)
    self.servers = NameServers(reactor: reactor, time: time, ownCause: ownCause)
    self.others = NameServers(reactor: reactor, time: time, ownCause: ownCause)
    self.port = port
    self.time = time
  }

  package func resolve(
    _ host: String, ip: IPPreference, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    try await resolve(host, ip: ip, scope: .any, deadline: deadline)
  }

  package func resolve(
    _ host: String, ip: IPPreference, scope: ResolveScope, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    if let literal = IPAddress(host) {
      guard ip.allows(literal) else {
        let message = "\(literal) is not an IPv\(ip.rawValue) address, which the check asks for"
        return ResolvedHost(failure: Verdict(.unsupported, phase: .prepare, message: message))
      }
      return ResolvedHost(addresses: [literal])
    }
    guard let name = DNSName(host), name != .root else {
      return ResolvedHost(
        failure: Verdict(.dnsNXDomain, phase: .dns, message: "\"\(host)\" cannot be the name of a host"))
    }
    guard let contents = await files.contents() else {
      return ResolvedHost(
        failure: Verdict(.localFault, phase: .prepare, message: "no thread left to read /etc/resolv.conf"))
    }
    let inFile = contents.hosts.lookUp(host)
    let known = inFile.filter(ip.allows)
    if !known.isEmpty {
      return ResolvedHost(
        addresses: AddressLookup.routed(known) { SocketAddress($0, port: 9).hasRoute },
        source: contents.hosts.names(host) ? .hostsFile : .localhostRule)
    }
    let missing = Verdict(
      .dnsNoData, phase: .dns, message: "\(host) has no IPv\(ip.rawValue) address in /etc/hosts, and no other"
    )
    // RFC 6761 section 6.3: never a question for the DNS.
    if isLocalhost(plainHost(host)) { return ResolvedHost(failure: missing) }
    let wanted = Wanted(ip: ip, scope: scope, time: AttemptTime(until: deadline))
    var found = try await search(for: name, host, wanted, configuration(contents))
    if !inFile.isEmpty, found.failure?.reason == .dnsNXDomain { found.failure = missing }
    return found
  }

  package func resolve(
    _ host: String, ip: IPPreference, scope: ResolveScope, asking servers: [SocketAddress],
    called name: Endpoint, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    if IPAddress(host) != nil { return try await resolve(host, ip: ip, deadline: deadline) }
    guard let target = DNSName(host), target != .root else {
      return ResolvedHost(
        failure: Verdict(.dnsNXDomain, phase: .dns, message: "\"\(host)\" cannot be the name of a host"))
    }
    var configuration = ResolverConfiguration()
    configuration.servers = servers
    let wanted = Wanted(ip: ip, scope: scope, time: AttemptTime(until: deadline))
    let lookup = try await lookUp(
      target, wanted, of: Source(servers: others, configuration, called: name))
    return ResolvedHost(
      addresses: lookup.addresses, failure: lookup.failure, elapsed: lookup.elapsed, held: lookup.held,
      aliases: lookup.aliases, source: lookup.server.map { .ownResolver(name, $0) }, remark: lookup.remark,
      ownWords: lookup.ownWords)
  }

  /// By the hosts file and the rules of `localhost`.
  package func known(_ host: String) async -> [IPAddress] {
    if let literal = IPAddress(host) { return [literal] }
    return await files.contents()?.hosts.lookUp(host) ?? []
  }

  /// Asks the machine's name servers one question, for checks that watch the servers themselves. With `use-vc` no
  /// question goes over UDP.
  package func ask(
    _ question: DNSQuestion, recursion: Bool, over transport: DNSTransport, phase: Phase,
    until deadline: Instant
  ) async throws(CancellationError) -> DNSReply {
    let contents = await files.contents()
    let file = contents.map(configuration) ?? ResolverConfiguration()
    return try await servers.ask(
      question, recursion: recursion, by: file, over: transport == .udp && file.usesTCP ? .tcp : transport,
      phase: phase, until: deadline)
  }

  private func configuration(_ contents: ResolverFiles.Contents) -> ResolverConfiguration {
    var configuration = contents.configuration
    for index in configuration.servers.indices { configuration.servers[index].port = port }
    return configuration
  }

  /// Tries the names the search list makes of this one, in the order of resolv.conf(5).
  private func search(
    for name: DNSName, _ host: String, _ wanted: Wanted, _ configuration: ResolverConfiguration
  ) async throws(CancellationError) -> ResolvedHost {
    var wanted = wanted
    var (elapsed, held) = (Duration.zero, Duration.zero)
    var aliases: [String] = []
    // Of the name as it is written, and of what the search list makes of it.
    var own: Verdict?
    var guessed: Verdict?
    var server: SocketAddress?
    var ownWords: String?
    for candidate in configuration.candidates(for: name, isAbsolute: host.hasSuffix(".")) {
      let lookup = try await lookUp(candidate, wanted, of: Source(servers: servers, configuration))
      wanted.time.spend(lookup.elapsed - lookup.held)
      elapsed += lookup.elapsed
      held += lookup.held
      aliases += lookup.aliases
      if !lookup.addresses.isEmpty {
        return ResolvedHost(
          addresses: lookup.addresses, elapsed: elapsed, held: held, aliases: lookup.aliases,
          source: lookup.server.map(NameSource.nameServer), remark: lookup.remark,
          ownWords: lookup.ownWords)
      }
      // It is this name that is meant: another one would be another host.
      if lookup.isPartial {
        return ResolvedHost(
          failure: lookup.failure.map(unknownIfDeaf), elapsed: elapsed, held: held, aliases: aliases,
          source: lookup.server.map(NameSource.nameServer), ownWords: lookup.ownWords)
      }
      server = lookup.server ?? server
      ownWords = lookup.ownWords ?? ownWords
      if candidate == name {
        own = lookup.failure
      } else if guessed == nil || guessed?.reason == .dnsNXDomain {
        guessed = lookup.failure
      }
      if wanted.time.left == .zero { break }
    }
    // That a guess does not exist says nothing; that a server failed over one may be why nothing was found.
    let isOpen = own?.reason == .dnsNXDomain && guessed.map { $0.reason != .dnsNXDomain } ?? false
    let failure = (isOpen ? guessed : own ?? guessed).map {
      configuration.namesNone ? $0.withoutServerLine : $0
    }
    return ResolvedHost(
      failure: failure.map(unknownIfDeaf) ?? .noNameServer, elapsed: elapsed, held: held, aliases: aliases,
      source: server.map(NameSource.nameServer), ownWords: ownWords)
  }

  /// Which addresses of a name, and within what.
  private struct Wanted: Sendable {
    var ip: IPPreference
    var scope: ResolveScope
    var time: AttemptTime
  }

  /// The servers to ask.
  private struct Source: Sendable {
    var servers: NameServers
    var configuration: ResolverConfiguration
    /// Name of the servers in messages. `nil` for the machine's own.
    var name: Endpoint?

    init(servers: NameServers, _ configuration: ResolverConfiguration, called name: Endpoint? = nil) {
      self.servers = servers
      self.configuration = configuration
      self.name = name
    }
  }

  private func lookUp(
    _ name: DNSName, _ wanted: Wanted, of source: Source
  ) async throws(CancellationError) -> AddressLookup {
    let configuration = source.configuration
    switch wanted.ip {
    case .v6 where configuration.skipsAAAA:
      return AddressLookup(failure: Verdict(.localFault, phase: .dns, message: Self.skipped))
    case .any where configuration.skipsAAAA:
      return try await lookUp(.a, of: name, within: wanted.time.left, source)
    case .any where configuration.asksOneByOne: return try await lookUpOneByOne(name, wanted, source)
    case .v4: return try await lookUp(.a, of: name, within: wanted.time.left, source)
    case .v6: return try await lookUp(.aaaa, of: name, within: wanted.time.left, source)
    case .any: break
    }
    // A caller that wants all of them waits for both families, but not until there is no time left to probe them.
    let half = wanted.time.left.microseconds / 2
    let limit = wanted.scope == .each ? .microseconds(half) : wanted.time.left
    let deadline = time.instant() + limit
    let lookups = await withTaskGroup(of: AddressLookup?.self) { group in
      for type in [DNSRecordType.aaaa, .a] {
        group.addTask { try? await self.lookUp(type, of: name, within: limit, source) }
      }
      var lookups: [AddressLookup] = []
      while lookups.count < 2, let next = await group.next() {
        // The grace is over, or the task was cancelled: the rest is given up.
        guard let lookup = next else { break }
        lookups.append(lookup)
        guard lookups.count == 1, wanted.scope != .each,
          lookup.addresses.contains(where: { SocketAddress($0, port: 9).hasRoute })
        else {
          continue
        }
        let left = max(0, time.instant().duration(to: deadline).microseconds)
        let grace = min(Self.grace * (wanted.scope == .both ? 4 : 1), .microseconds(left / 4))
        // Who waits in vain has waited nevertheless.
        lookups[0].patience = grace
        group.addTask {
          try? await self.time.sleep(for: grace)
          return nil
        }
      }
      group.cancelAll()
      return lookups
    }
    if Task.isCancelled { throw CancellationError() }
    return AddressLookup(merging: lookups, of: name, scope: wanted.scope)
  }

  private static let skipped =
    "options no-aaaa in /etc/resolv.conf or RES_OPTIONS: no IPv6 address is asked for"

  /// For servers, or what stands before them, that cannot hear two questions at once. IPv4 first: half of the time is
  /// for it.
  private func lookUpOneByOne(
    _ name: DNSName, _ wanted: Wanted, _ source: Source
  ) async throws(CancellationError) -> AddressLookup {
    var time = wanted.time
    let v4 = try await lookUp(.a, of: name, within: .microseconds(time.left.microseconds / 2), source)
    time.spend(v4.elapsed - v4.held)
    let isEnough = !v4.addresses.isEmpty && wanted.scope != .each
    let patience = Self.grace * (wanted.scope == .both ? 4 : 1)
    let left = isEnough ? min(patience, .microseconds(time.left.microseconds / 4)) : time.left
    let v6 = try await lookUp(.aaaa, of: name, within: left, source)
    var merged = AddressLookup(merging: [v6, v4], of: name, scope: wanted.scope)
    // One after the other took both.
    (merged.elapsed, merged.held) = (v4.elapsed + v6.elapsed, v4.held + v6.held)
    return merged
  }

  private func lookUp(
    _ type: DNSRecordType, of name: DNSName, within limit: Duration, _ source: Source
  ) async throws(CancellationError) -> AddressLookup {
    let question = DNSQuestion(name: name, type: type)
    let reply = try await source.servers.ask(
      question, by: source.configuration, over: source.configuration.usesTCP ? .tcp : .udp, phase: .dns,
      until: time.instant() + limit)
    return AddressLookup(reply, to: question, from: source.name)
  }

  /// Silence of all servers for all names is this machine's problem, or its network's.
  private func unknownIfDeaf(_ verdict: Verdict) -> Verdict {
    guard verdict.reason == .dnsTimeout, servers.isDeaf else { return verdict }
    var verdict = verdict
    verdict.isUnknown = true
    return verdict
  }
}

extension IPPreference {
  /// Whether addresses of this one's family are wanted.
  package func allows(_ address: IPAddress) -> Bool {
    switch self {
    case .any: true
    case .v4: address.version == 4
    case .v6: address.version == 6
    }
  }
}

extension ResolverConfiguration {
  /// The names to ask for, in order: a name with `ndots` dots is tried as it is first, one with fewer last.
  func candidates(for name: DNSName, isAbsolute: Bool) -> [DNSName] {
    if isAbsolute || search.isEmpty { return [name] }
    let qualified = search.compactMap { domain -> DNSName? in
      let wire = name.wire.dropLast() + domain.wire
      return wire.count <= 255 ? DNSName(wire: Array(wire)) : nil
    }
    return name.labelCount > ndots ? [name] + qualified : qualified + [name]
  }
}

extension DNSName {
  fileprivate var labelCount: Int {
    var count = 0
    var index = 0
    while index < wire.count, wire[index] > 0 {
      count += 1
      index += 1 + Int(wire[index])
    }
    return count
  }
}

/// `localhost` and the names below it.
///
/// - Parameter name: in lower case, without the final dot.
func isLocalhost(_ name: String) -> Bool { name == "localhost" || name.hasSuffix(".localhost") }
