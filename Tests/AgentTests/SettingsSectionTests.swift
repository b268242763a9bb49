// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

@testable import Agent

/// The sections of agent.yaml, as a reload compares them.
@Suite struct SettingsSectionTests {
  /// What a reload applies; every other section waits for a restart.
  @Test func sectionsOfAReload() {
    #expect(
      SettingsSection.all.filter(\.isReloaded).map(\.name) == [
        "defaults", "checks", "canaries", "dependencies", "maintenance", "discover", "alerts",
      ])
    #expect(SettingsSection.all.count == 18)
  }

  /// Each part of `Settings` is a section, and each section is compared.
  @Test func everySectionIsCompared() {
    let parts = Mirror(reflecting: Settings()).children.compactMap(\.label)
    let names = parts.map { $0 == "lifeSigns" ? "heartbeat" : $0 }
    #expect(Set(names).subtracting(SettingsSection.all.map(\.name)) == ["secretPaths", "unread"])
    var other = Settings()
    (other.agent.name, other.canaries, other.alerts) = ("x", ["a"], AlertSettings())
    func changes(_ areReloaded: Bool, _ hasAlerts: Bool) -> [String] {
      SettingsSection.changes(from: Settings(), to: other, areReloaded: areReloaded, hasAlerts: hasAlerts)
    }
    #expect(changes(true, true) == ["canaries", "alerts"] && changes(false, true) == ["agent"])
    #expect(changes(true, false) == ["canaries"] && changes(false, false) == ["agent", "alerts"])
  }
}
