// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Checks
import Monitoring
import Network

/// The target of one `trace`, and its policy.
struct TraceTarget {
  let check: MonitoringCheck
  let egress: ProbeEgress
  /// Name for people.
  var host: String { check.ownTarget?.endpoint.host ?? check.name }

  /// As `once` reads its targets; a bare host is one, too.
  init(_ target: String, _ config: ConfigOptions) throws {
    var target = target
    if !target.contains("://"), !isEndpoint(target), Self.isHost(target), try !Self.isCheck(target, config) {
      target = "ping://" + target
    }
    let selection = try OnceSelection(targets: [target], options: TargetOptions.parse([]), config: config)
    guard let check = selection.checks.first else {
      throw failure("there is no target", status: ExitStatus.unknown)
    }
    if let unread = check.unread, unread.hidesTarget {
      throw failure(
        "the target of \(quoted(check.name)) \(unread.words)",
        hint: "name it instead: quartz-agent trace tcp://host:port", status: ExitStatus.unknown)
    }
    (self.check, egress) = (check, selection.egress)
  }

  static func isHost(_ text: String) -> Bool {
    if IPAddress(text) != nil { return true }
    return !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && !"@\"'\\/?#:[]".utf8.contains($0) }
  }

  /// Whether a configuration has a check of that name or id. One that is not asked for and cannot be read names nothing.
  private static func isCheck(_ name: String, _ config: ConfigOptions) throws -> Bool {
    guard let path = config.existing else { return false }
    let settings: Settings?
    if config.path != nil {
      settings = try loadSettings(path)
    } else {
      settings = try? loadForAsking(path)
    }
    let id = UniqueID(name)
    return settings?.checks.contains { $0.name == name || $0.id == id } ?? false
  }

  /// The address that packets go to: the first that the policy lets through.
  func find(_ resolver: SystemResolver, ip: IPPreference) async throws -> SocketAddress {
    guard let target = check.ownTarget else {
      throw failure(
        "\"\(check.name.printable(maxBytes: 100))\" dials no address of its own: a proxy, the system's resolvers or none at all",
        hint: "name the place instead: quartz-agent trace tcp://host:port", status: ExitStatus.unknown)
    }
    let policy = EgressPolicy(egress.settings, own: egress.own)
    let finder = TargetFinder(resolver: OneFamily(resolver: resolver, ip: ip), policy: policy)
    let deadline = TimeSource.system.instant() + .seconds(10)
    switch try await finder.find(target, for: Attempt(of: check, until: deadline), until: deadline) {
    case .found(let addresses, _):
      if let first = addresses.first(where: { ip.allows($0.address) }) { return first }
      throw failure(
        "\(host.printable(maxBytes: 200)) is not an IPv\(ip.rawValue) address", status: ExitStatus.unknown)
    case .ended(let outcome):
      let verdict = outcome.verdict
      throw failure(
        (verdict.message ?? verdict.reason.rawValue).printable(maxBytes: 400), status: ExitStatus.unknown)
    case .postponed:
      throw failure(
        "the egress budget has no room at the moment", hint: "try again", status: ExitStatus.unknown)
    }
  }
}

/// Asks for the addresses of the family that the command line names.
private struct OneFamily: HostResolving {
  let resolver: SystemResolver
  let ip: IPPreference

  func resolve(
    _ host: String, ip: IPPreference, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    try await resolver.resolve(host, ip: self.ip == .any ? ip : self.ip, deadline: deadline)
  }
}
