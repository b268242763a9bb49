// SPDX-License-Identifier: MIT

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
  /// The configuration the checks are of; nil for targets without one.
  var settings: Settings?

  /// The windows of the file; those of the API are known to the running agent alone.
  var maintenance: MaintenancePlan {
    settings.map { MaintenancePlan($0.maintenance, checks: $0.checks) } ?? .none
  }

  /// A target with a scheme needs no configuration; a name or an id does, and so does no target at all.
  init(targets: [String], with keys: String?, config: ConfigOptions) throws {
    let adHoc = targets.filter { $0.contains("://") }
    let names = targets.filter { !$0.contains("://") }
    if config.existing == nil, let name = names.first {
      throw failure(
        "\"\(name.printable(maxBytes: 200))\" is no target, and there is no configuration whose check it could name",
        hint:
          "targets look like https://\(name.isEmpty ? "host" : name.printable(maxBytes: 100)), or tcp://host:port",
        status: ExitCode.validationFailure.rawValue)
    }
    if config.path != nil || adHoc.isEmpty || !names.isEmpty {
      let settings = try loadSettings(config.required())
      self.settings = settings
      egress = ProbeEgress(settings)
      canaries = settings.checks.filter { $0.enabled && settings.canaries.contains($0.name) }
      checks = try Self.named(names, all: adHoc.isEmpty, in: settings)
    }
    if let keys, adHoc.isEmpty {
      throw failure(
        "--with \"\(keys.printable(maxBytes: 100))\" has no target it could be about",
        hint: "it adds keys to targets such as https://host; a check of the configuration has its own",
        status: ExitCode.validationFailure.rawValue)
    }
    for target in adHoc { checks.append(try Self.adHoc(target, with: keys)) }
  }

  private static func named(_ names: [String], all: Bool, in settings: Settings) throws -> [MonitoringCheck] {
    if names.isEmpty { return all ? settings.checks.filter(\.enabled) : [] }
    return try names.map { name in
      let id = UniqueID(name)
      if let check = settings.checks.first(where: { $0.name == name || $0.id == id }) { return check }
      let similar = nearest(to: name, among: settings.checks.map(\.name))
      throw failure(
        "no check is called \"\(name.printable(maxBytes: 200))\"",
        hint: similar.map { "did you mean \"\($0)\"?" }
          ?? "targets without a configuration look like tcp://host:port",
        status: ExitCode.validationFailure.rawValue)
    }
  }

  private static func adHoc(_ target: String, with keys: String?) throws -> MonitoringCheck {
    do throws(AdHocTargetError) {
      return try MonitoringCheck(
        adHoc: target, keys: keys,
        sources: ConfigSources(
          environment: processEnvironment(), secrets: .disk, hostName: "command-line", patterns: Pattern.rule)
      )
    } catch {
      throw failure(error.message, hint: error.hint, status: ExitCode.validationFailure.rawValue)
    }
  }
}
