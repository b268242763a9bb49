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

  /// A new key in the same file waits for no restart: it is read again when the old one is refused. Any other key does.
  @Test func aRotatedKeyFileWaitsForNoRestart() throws {
    func settings(_ key: String, _ file: String?) throws -> Settings {
      var settings = Settings()
      let url = try HTTPURL("https://quartz.example/v1")
      settings.quartz = QuartzSettings(url: url, apiKey: Redacted(key), apiKeyFile: file)
      return settings
    }
    func waiting(_ key: String, _ file: String?, from old: String, _ oldFile: String?) throws -> [String] {
      SettingsSection.changes(
        from: try settings(old, oldFile), to: try settings(key, file), areReloaded: false, hasAlerts: true)
    }
    #expect(try waiting("new", "/key", from: "old", "/key") == [])
    #expect(try waiting("new", "/other", from: "old", "/key") == ["quartz"])
    #expect(try waiting("new", nil, from: "old", nil) == ["quartz"])
    #expect(try waiting("old", nil, from: "old", "/key") == ["quartz"])
  }
}
