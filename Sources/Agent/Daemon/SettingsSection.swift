// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring

/// A section of agent.yaml, and whether a reload applies it.
struct SettingsSection: Sendable {
  let name: String
  let isReloaded: Bool
  private let isSame: @Sendable (Settings, Settings) -> Bool

  private init<Value: Equatable & Sendable>(
    _ name: String, isReloaded: Bool = false, _ value: @escaping @Sendable (Settings) -> Value
  ) {
    (self.name, self.isReloaded) = (name, isReloaded)
    isSame = { value($0) == value($1) }
  }

  /// Every section: together they are all of `Settings`.
  static let all: [Self] = [
    Self("agent") { $0.agent }, Self("status") { $0.status }, Self("metrics") { $0.metrics },
    Self("probe") { $0.probe }, Self("limits") { $0.limits }, Self("quartz") { $0.quartz?.beyondItsKeyFile },
    Self("group") { $0.group }, Self("spool") { $0.spool }, Self("egress") { $0.egress },
    Self("trace") { $0.trace }, Self("heartbeat") { $0.lifeSigns },
    Self("defaults", isReloaded: true) { $0.defaults }, Self("checks", isReloaded: true) { $0.checks },
    Self("canaries", isReloaded: true) { $0.canaries },
    Self("dependencies", isReloaded: true) { $0.dependencies },
    Self("maintenance", isReloaded: true) { $0.maintenance },
    Self("discover", isReloaded: true) { $0.discover }, Self("alerts", isReloaded: true) { $0.alerts },
  ]

  /// Names of the sections in which two configurations differ.
  ///
  /// - Parameter hasAlerts: a section `alerts` that was not there at the start takes effect at the next one.
  static func changes(
    from old: Settings, to new: Settings, areReloaded: Bool, hasAlerts: Bool
  ) -> [String] {
    all.filter { section in
      let isReloaded = section.isReloaded && (section.name != "alerts" || hasAlerts)
      return isReloaded == areReloaded && !section.isSame(old, new)
    }.map(\.name)
  }
}

extension QuartzSettings {
  /// Without the key where it is of a file: the running agent reads that again when a request is refused with the old key.
  fileprivate var beyondItsKeyFile: QuartzSettings {
    var settings = self
    if settings.apiKeyFile != nil { settings.apiKey = Redacted("") }
    return settings
  }
}
