// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Resolve, then judge: every probe finds its target this way, once per attempt, and dials only what it gets.
package struct TargetFinder: Sendable {
  package let resolver: any HostResolving
  package let policy: EgressPolicy
  /// Budget of checks from the API. `nil` where nothing is counted.
  package let budget: EgressBudget?
  /// The names whose failures a check from the API may tell.
  private let names = KnownNames()

  package init(resolver: any HostResolving, policy: EgressPolicy, budget: EgressBudget? = nil) {
    self.resolver = resolver
    self.policy = policy
    self.budget = budget
  }

  /// Addresses of one name that a check from the API has dialled at most.
  private static let strangersAddresses = 4

  /// The target to find.
  package struct Target: Hashable, Sendable {
    package var endpoint: Endpoint
    package var purpose: EgressPurpose

    package init(_ endpoint: Endpoint, for purpose: EgressPurpose = .connection) {
      self.endpoint = endpoint
      self.purpose = purpose
    }
  }

  package enum Finding: Sendable {
    /// At least one address, all of them permitted. `name` is nil where the host is an address itself.
    case found(addresses: [SocketAddress], name: NameTime?)
    /// There is nothing to dial; this is the attempt's outcome.
    case ended(ProbeOutcome)
    /// The budget has no room at the moment; nothing was dialled.
    case postponed(by: Duration)
  }

  /// Finds what the check names. `nil` where its addresses are not ours to choose.
  func find(_ attempt: Attempt) async throws(CancellationError) -> Finding? {
    guard let target = attempt.check.ownTarget else { return nil }
    return try await find(target, for: attempt, until: attempt.deadline)
  }

  package func find(
    _ target: Target, for attempt: Attempt, until deadline: Instant
  ) async throws(CancellationError) -> Finding {
    if let finding = findAtOnce(target, for: attempt) { return finding }
    let check = attempt.check
    let pauses = PauseWatch()
    let host = try await resolve(target.endpoint.host, for: attempt, until: deadline)
    let name = host.time(of: target.endpoint.host, paused: pauses.longest)
    let dns = name?.elapsed
    if let failure = host.failure {
      let told = told(failure, of: target.endpoint.host, host.aliases, by: check)
      // How long a refusal took would tell a stranger what a name resolved to.
      let shown = failure.reason == .policyDenied ? nil : dns
      var outcome = ProbeOutcome(told, responseTime: shown, timings: Timings(dns: shown, total: shown))
      outcome.account = attempt.account(of: target.endpoint.host, host)
      outcome.paused = name?.paused ?? .zero
      return .ended(outcome)
    }
    let finding = judged(host.addresses, of: target, for: attempt, name: name)
    if check.origin == .api, case .found = finding { names.learn(target.endpoint.host, host.aliases) }
    return finding
  }

  /// Where a host lies that a proxy looks up: by what is written, and by what this machine knows without asking. A name
  /// that the proxy resolves otherwise cannot be judged here.
  func place(of host: String) async -> AddressClass {
    let classes = [AddressClass(writtenAs: host)] + (await resolver.known(host)).map(\.effectiveClass)
    return classes.max { $0.privacyRank < $1.privacyRank } ?? .public
  }

  /// The part of a failure to resolve that an untrusted check may see: details of the name only where the name is known
  /// outside. A private address of the name is not shown either.
  private func told(
    _ failure: Verdict, of host: String, _ aliases: [String], by check: MonitoringCheck
  ) -> Verdict {
    guard check.origin == .api, !failure.reason.isLocal, !failure.isUnknown, !names.knows(host, aliases)
    else {
      return failure
    }
    return failure.untold
  }

  /// A result without waiting: the check may not be run, or its host is an address, of a family that it may use. `nil`
  /// where the host must be resolved.
  private func findAtOnce(_ target: Target, for attempt: Attempt) -> Finding? {
    let check = attempt.check
    if let why = policy.refusal(of: check) {
      return .ended(ProbeOutcome(Verdict(.policyDenied, phase: .prepare, message: why)))
    }
    guard attempt.pinned == nil, let literal = IPAddress(target.endpoint.host),
      attempt.usableIP.allows(literal)
    else { return nil }
    return judged([literal], of: target, for: attempt, name: nil)
  }

  private func judged(
    _ addresses: [IPAddress], of target: Target, for attempt: Attempt, name: NameTime?
  ) -> Finding {
    switch judge(addresses, of: target, for: attempt.check) {
    case .permitted(let addresses):
      return admit(addresses, of: target.endpoint.host, for: attempt, name: name)
    case .refused(let why):
      return .ended(ProbeOutcome(Verdict(.policyDenied, phase: .prepare, message: why)))
    }
  }

  private func admit(
    _ addresses: [SocketAddress], of host: String, for attempt: Attempt, name: NameTime?
  ) -> Finding {
    guard attempt.check.origin == .api, let budget else { return .found(addresses: addresses, name: name) }
    let few = Array(addresses.prefix(Self.strangersAddresses))
    switch budget.admit(few, of: host, dialsEach: attempt.scope == .each) {
    case .granted(let addresses): return .found(addresses: addresses, name: name)
    case .later(let wait): return .postponed(by: wait)
    case .refused(let why):
      return .ended(ProbeOutcome(Verdict(.policyDenied, phase: .prepare, message: why)))
    }
  }

  /// Where a redirect leads: judged like a target, and held against the address that sent us there.
  package func find(
    _ endpoint: Endpoint, redirectedFrom source: IPAddress, for attempt: Attempt,
    until deadline: Instant
  ) async throws(CancellationError) -> Finding {
    let check = attempt.check
    if let literal = IPAddress(endpoint.host) {
      // What the policy denies is denied, whatever else is against it.
      if policy.isMorePrivate(literal, than: source) { return .ended(ProbeOutcome(RedirectRule.denied)) }
      if let refusal = RedirectRule.refusal(of: literal, ip: attempt.usableIP, origin: check.origin) {
        return .ended(ProbeOutcome(refusal))
      }
    }
    let host = try await resolve(endpoint.host, for: attempt, until: deadline)
    let name = host.time(of: endpoint.host)
    if let failure = host.failure {
      // A stranger's page must not learn which names exist in here.
      if failure.reason == .policyDenied || check.origin == .api && !failure.reason.isLocal {
        return .ended(ProbeOutcome(RedirectRule.denied))
      }
      var outcome = ProbeOutcome(failure, timings: Timings(dns: name?.elapsed))
      outcome.account = attempt.account(of: endpoint.host, host)
      return .ended(outcome)
    }
    let near = host.addresses.filter { !policy.isMorePrivate($0, than: source) }
    guard case .permitted(let addresses) = judge(near, of: Target(endpoint), for: check) else {
      return .ended(ProbeOutcome(RedirectRule.denied))
    }
    guard check.origin == .api, let budget else { return .found(addresses: addresses, name: name) }
    let few = Array(addresses.prefix(Self.strangersAddresses))
    guard case .granted(let admitted) = budget.admit(few, of: endpoint.host, isDelayable: false) else {
      return .ended(ProbeOutcome(RedirectRule.denied))
    }
    return .found(addresses: admitted, name: name)
  }

  private enum Judgement {
    case permitted([SocketAddress])
    case refused(String)
  }

  private func judge(_ addresses: [IPAddress], of target: Target, for check: MonitoringCheck) -> Judgement {
    let endpoint = target.endpoint
    var refusal: String?
    var permitted: [SocketAddress] = []
    for address in addresses {
      let verdict = policy.judge(
        address, port: endpoint.port, origin: check.origin, purpose: target.purpose, host: endpoint.host)
      switch verdict {
      case .allowed:
        permitted.append(SocketAddress(address, port: endpoint.port, source: check.sourceAddress))
      case .denied(let why): refusal = why
      }
    }
    guard !permitted.isEmpty else { return .refused(refusal ?? "\(endpoint.host) has no address") }
    return .permitted(permitted)
  }

  /// Without `0.0.0.0` and `::`, which a filtering name server gives for what it blocks: dialled, they reach this very
  /// machine, and its web server would answer for the target. Without link-local addresses too, which cannot be dialled
  /// without a zone: the name's records are wrong, not this machine. To a stranger's check the policy says so.
  private func resolve(
    _ host: String, for attempt: Attempt, until deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    var found = try await lookUp(host, for: attempt, until: deadline)
    guard attempt.check.origin == .local, IPAddress(host) == nil,
      let nowhere = found.addresses.first(where: \.isNowhere)
    else { return found }
    found.addresses.removeAll(where: \.isNowhere)
    if found.addresses.isEmpty {
      let why =
        nowhere.needsZone
        ? "a link-local address: without a zone no connection to it can be made"
        : "which is no host's address: its name server blocks the name"
      let words = "\(host) resolves to \(nowhere), \(why)"
      found.failure = Verdict(.dnsNoData, phase: .dns, message: words).with(remark: found.remark)
    }
    return found
  }

  /// By the machine's resolver, or by the one the check names, whose own address is judged like any other.
  private func lookUp(
    _ host: String, for attempt: Attempt, until deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    let check = attempt.check
    let ip = attempt.usableIP
    if let pinned = attempt.pinned, host == check.ownTarget?.endpoint.host {
      return ResolvedHost(addresses: [pinned])
    }
    guard let named = check.resolver, IPAddress(host) == nil else {
      return try await resolver.resolve(host, ip: ip, scope: attempt.scope, deadline: deadline)
    }
    var time = AttemptTime(until: deadline)
    let server = try await resolver.resolve(named.host, ip: .any, deadline: time.deadline)
    time.spend(server.spent)
    if let failure = server.failure {
      let words = "resolver \(named.host): \(failure.message ?? failure.reason.rawValue)"
      // Nobody was asked for the target yet.
      let isUnknown = told(failure, of: named.host, server.aliases, by: check).isUnknown
      let verdict = Verdict(failure.reason, phase: .prepare, message: words, isUnknown: isUnknown)
      return ResolvedHost(failure: verdict, elapsed: server.elapsed, held: server.held)
    }
    switch judge(server.addresses, of: Target(named, for: .dns), for: check) {
    case .refused(let why):
      return ResolvedHost(failure: Verdict(.policyDenied, phase: .prepare, message: "resolver \(why)"))
    case .permitted(var servers):
      if check.origin == .api { names.learn(named.host, server.aliases) }
      // Three are as many as a resolv.conf may name. Queries go out by the kernel's choice of address.
      servers = servers.prefix(3).map { SocketAddress($0.address, port: $0.port) }
      var found = try await resolver.resolve(
        host, ip: ip, scope: attempt.scope, asking: servers, called: named, deadline: time.deadline)
      found.elapsed += server.elapsed
      found.held += server.held
      return found
    }
  }
}

extension Attempt {
  /// Servers that gave no answer. `nil` where no details are wanted.
  fileprivate func account(of name: String, _ host: ResolvedHost) -> ProbeAccount? {
    guard explains, let source = host.source else { return nil }
    var account = ProbeAccount()
    account.names = [
      ResolvedName(name: name, addresses: host.addresses, source: source, words: host.ownWords)
    ]
    return account
  }
}

extension IPAddress {
  /// No connection to it, as an answer of the DNS, is one to the host that was asked for.
  fileprivate var isNowhere: Bool { addressClass == .unspecified || needsZone }
}

extension ResolvedHost {
  /// `nil` where the host is an address itself.
  fileprivate func time(of host: String, paused: Duration = .zero) -> NameTime? {
    IPAddress(host) == nil
      ? NameTime(elapsed: elapsed, spent: spent, source: source, paused: paused) : nil
  }
}

extension MonitoringCheck {
  /// The target that the check's own addresses are those of. `nil` where they are not ours to choose: behind a proxy,
  /// and for the machine's own name servers.
  package var ownTarget: TargetFinder.Target? {
    let purpose: EgressPurpose =
      switch kind {
      case .dns: .dns
      case .ping(let ping) where ping.port == nil: .echo
      default: .connection
      }
    return kind.dialled.map { TargetFinder.Target($0, for: purpose) }
  }
}
