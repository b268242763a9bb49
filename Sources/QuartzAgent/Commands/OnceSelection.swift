// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Checks
import Monitoring

/// Which checks one `once` runs, and under which policy.
struct OnceSelection {
  var checks: [MonitoringCheck] = []
  var egress = ProbeEgress()
  var canaries: [MonitoringCheck] = []
  /// Checks and targets that were named again, as they are called: each runs once.
  var repeated: [String] = []
  /// The configuration the checks are of; nil for targets without one.
  var settings: Settings?

  /// The windows of the file; those of the API are known to the running agent alone.
  var maintenance: MaintenancePlan {
    settings.map { MaintenancePlan($0.maintenance, checks: $0.checks) } ?? .none
  }

  /// Also on checks that are not among those that run.
  var dependencies: DependencyGraph {
    settings.map { DependencyGraph($0.checks, rules: $0.dependencies) } ?? DependencyGraph()
  }

  /// A target with a scheme needs no configuration; a name or an id does, and so does no target at all. A word like
  /// `host:port` is a target too, unless a check has that name.
  ///
  /// - Parameter tags: only checks of the configuration with one of them, also among those that are named.
  init(targets: [String], tags: [String] = [], options: TargetOptions, config: ConfigOptions) throws {
    var adHoc = targets.filter { $0.contains("://") }
    try Self.refuse(tags, targets: adHoc)
    var names = targets.filter { !$0.contains("://") }
    var settings: Settings?
    if !names.isEmpty, tags.isEmpty, names.allSatisfy(isEndpoint) {
      settings = try Self.configurationThatNames(names, config)
    }
    if settings == nil, tags.isEmpty, config.path == nil {
      if !names.isEmpty, names.allSatisfy(isEndpoint) {
        (adHoc, names) = (targets.map { $0.contains("://") ? $0 : "tcp://" + $0 }, [])
      } else if config.existing == nil, let name = names.first(where: { !isEndpoint($0) }) {
        throw noTarget(name, "there is no configuration whose check it could name")
      }
    }
    if config.path != nil || adHoc.isEmpty || !names.isEmpty || !tags.isEmpty {
      let settings = try settings ?? loadSettings(config.required())
      self.settings = settings
      egress = ProbeEgress(settings)
      canaries = settings.checks.filter {
        $0.enabled && $0.unread == nil && settings.canaries.contains($0.name)
      }
      var known: [MonitoringCheck]
      (known, adHoc) = try Self.named(targets, in: settings)
      if targets.isEmpty { known = settings.checks.filter { $0.enabled || !tags.isEmpty } }
      checks =
        tags.isEmpty ? known : try TagChoice(tags, in: settings.checks).chosen(known, named: !names.isEmpty)
    }
    try Self.refuse(tags, targets: adHoc)
    try Self.refuse(options, targets: adHoc, named: checks)
    adHoc = try OnceServers.targets(adHoc, asking: options.servers)
    let named = checks
    checks = []
    for check in named {
      if checks.contains(where: { $0.id == check.id }) {
        if !repeated.contains(check.name) { repeated.append(check.name) }
      } else {
        checks.append(check)
      }
    }
    let made = try Self.adHoc(adHoc, with: options, beside: checks)
    checks += made.checks
    repeated += made.repeated
  }

  /// `named more than once, runs once a round: Shop`; `nil` where nothing was.
  var repeatedWords: String? {
    repeated.isEmpty
      ? nil
      : "named more than once, \(plural("runs", repeated.count, "run")) once a round: \(repeated.map { $0.printable(maxBytes: 200) }.andMore(after: 5))"
  }

  /// The configuration where one of these, which could be targets as well, is the name of a check. One that cannot be
  /// read names nothing; but who asked for one is told.
  private static func configurationThatNames(_ names: [String], _ config: ConfigOptions) throws -> Settings? {
    if let path = config.path { return try loadSettings(path) }
    guard let path = config.existing, let settings = try? loadForAsking(path) else { return nil }
    return settings.checks.contains { names.contains($0.name) } ? settings : nil
  }

  /// Refuses options that go with checks of the configuration alone.
  private static func refuse(_ tags: [String], targets: [String]) throws {
    guard let target = targets.first, let tag = tags.first else { return }
    let shown = withoutLogin(target).prefix { $0 != "?" && $0 != "#" }.description.printable(maxBytes: 200)
    throw failure(
      "--tag \"\(tag.printable(maxBytes: 100))\" chooses checks of the configuration, and \(shown) is none",
      hint: "leave one of the two out", status: ExitCode.validationFailure.rawValue)
  }

  /// Refuses options that go with targets alone.
  private static func refuse(
    _ options: TargetOptions, targets: [String], named: [MonitoringCheck]
  ) throws {
    if let keys = options.with, targets.isEmpty {
      throw failure(
        "--with \"\(keys.printable(maxBytes: 100))\" has no target it could be about",
        hint: "it adds keys to targets such as https://host; a check of the configuration has its own",
        status: ExitCode.validationFailure.rawValue)
    }
    if let option = options.shortcuts.names.first, let check = named.first {
      throw failure(
        "\(option) is for targets, and \"\(check.name.printable(maxBytes: 100))\" is a check of the configuration, which has its own keys",
        hint: "change the check, or name its target instead: \(shellWord(check.pasteable))",
        status: ExitCode.validationFailure.rawValue)
    }
  }

  /// - Returns: the checks that are named, and the targets.
  private static func named(
    _ targets: [String], in settings: Settings
  ) throws -> (checks: [MonitoringCheck], adHoc: [String]) {
    var (checks, adHoc): ([MonitoringCheck], [String]) = ([], [])
    for target in targets {
      let id = UniqueID(target)
      if target.contains("://") {
        adHoc.append(target)
      } else if let check = settings.checks.first(where: { $0.name == target || $0.id == id }) {
        checks.append(check)
      } else if isEndpoint(target) {
        adHoc.append("tcp://" + target)
      } else {
        guard let similar = nearest(to: target, among: settings.checks.map(\.name)) else {
          throw noCheck(target, in: settings)
        }
        throw failure(
          "no check is called \"\(withoutLogin(target).printable(maxBytes: 200))\"",
          hint: "did you mean \"\(similar)\"?",
          status: ExitCode.validationFailure.rawValue)
      }
    }
    return (checks, adHoc)
  }

  /// Targets whose names are the same, since a query is in none and a long path is cut, get a number behind it: they are
  /// different checks. The same target twice is one.
  ///
  /// - Returns: the checks, and the names of those that were given again.
  private static func adHoc(
    _ targets: [String], with options: TargetOptions, beside others: [MonitoringCheck]
  ) throws -> (checks: [MonitoringCheck], repeated: [String]) {
    var repeated: [String] = []
    var made: [ByteText: MonitoringCheck] = [:]
    var names = Set(others.map { ByteText($0.name) })
    var counts: [ByteText: Int] = [:]
    let checks = try targets.compactMap { target -> MonitoringCheck? in
      if let check = made[ByteText(target)] {
        if !repeated.contains(check.name) { repeated.append(check.name) }
        return nil
      }
      var check = try adHoc(target, with: options)
      let plain = ByteText(check.name)
      var count = counts[plain] ?? 1
      while !names.insert(ByteText(check.name)).inserted {
        count += 1
        let numbered = try adHoc(target, number: count, with: options)
        // Named by --with.
        if numbered.name == check.name { break }
        check = numbered
      }
      counts[plain] = count
      made[ByteText(target)] = check
      return check
    }
    return (checks, repeated)
  }

  private static func adHoc(
    _ target: String, number: Int? = nil, with options: TargetOptions
  ) throws -> MonitoringCheck {
    do throws(AdHocTargetError) {
      return try MonitoringCheck(
        adHoc: target, number: number, keys: options.with, shortcuts: options.shortcuts,
        sources: ConfigSources(
          environment: processEnvironment(), secrets: .disk, hostName: "command-line", patterns: Pattern.rule)
      )
    } catch {
      throw failure(error.message, hint: error.hint, status: ExitCode.validationFailure.rawValue)
    }
  }
}

/// Whether it is a host and a port, and so a target of tcp.
func isEndpoint(_ text: String) -> Bool {
  guard let endpoint = Endpoint(text, defaultPort: nil) else { return false }
  return endpoint.host.utf8.allSatisfy { $0 > 0x20 && !"/?#@".utf8.contains($0) }
}

extension MonitoringCheck {
  /// A target on the command line that asks the same place.
  fileprivate var pasteable: String {
    switch kind {
    case .http(let http): http.url.display
    case .tcp(let tcp): "tcp://\(Endpoint(host: tcp.host, port: tcp.port))"
    case .tls(let tls): "tls://\(Endpoint(host: tls.host, port: tls.port))"
    case .dns(let dns): "dns://\(dns.server?.description ?? "")/\(dns.name)?type=\(dns.recordType)"
    case .ping(let ping): "ping://\(ping.host)"
    // There is none: nothing is asked.
    case .heartbeat: name
    }
  }
}
