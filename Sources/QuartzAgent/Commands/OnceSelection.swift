// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Monitoring

/// Which checks one `once` runs, and under which policy.
struct OnceSelection {
  var checks: [MonitoringCheck] = []
  var egress = EgressSettings()

  /// A target with a scheme needs no configuration; a name or an id does, and so does no target at all.
  init(targets: [String], config: ConfigOptions) throws {
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
      egress = settings.egress
      checks = try Self.named(names, all: adHoc.isEmpty, in: settings)
    }
    for target in adHoc { checks.append(try Self.adHoc(target)) }
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

  private static func adHoc(_ target: String) throws -> MonitoringCheck {
    do {
      return try MonitoringCheck(CheckDefinition(adHoc: target))
    } catch let error as AdHocTargetError {
      throw failure(error.message, hint: error.hint, status: ExitCode.validationFailure.rawValue)
    } catch let invalid as InvalidCheck {
      let problem = invalid.problems.first
      throw failure(
        "\(target.printable(maxBytes: 300)): \(problem?.message ?? "not a target")", hint: problem?.hint,
        status: ExitCode.validationFailure.rawValue)
    }
  }
}
