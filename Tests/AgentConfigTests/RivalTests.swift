// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// Keys of which a check has one: its own, whichever its defaults have.
struct RivalTests {
  private func load(_ text: String) throws(ConfigErrors) -> Settings {
    try ConfigLoader.parse(text: text, file: "agent.yaml", sources: .test).settings
  }

  /// The check with the same keys from defaults, from a template and from its group.
  private func places(of type: String, _ inherited: String, _ check: String) -> [String] {
    [
      "defaults: {\(type): {\(inherited)}}\nchecks: [\(check)}]",
      "templates: {t: {\(inherited)}}\nchecks: [\(check), extends: t}]",
      "groups: [{name: G, defaults: {\(type): {\(inherited)}}, checks: [\(check)}]}]",
    ]
  }

  private static let schedules: [String?] = [nil, "period: 2h", "cron: \"0 3 * * *\""]

  /// What a check itself says, beside what it has from elsewhere: every pair, from defaults, a template and a group.
  @Test(arguments: [0, 1, 2], [0, 1, 2]) func schedules(own: Int, inherited: Int) throws {
    let near = Self.schedules[own].map { ", \($0)" } ?? ""
    let far = Self.schedules[inherited] ?? "tags: [x]"
    let check = "{name: A, type: heartbeat, token: 0123456789abcdef\(near)"
    let expected = own > 0 ? own : inherited
    for text in places(of: "heartbeat", far, check) {
      guard expected > 0 else {
        #expect(throws: ConfigErrors.self, "\(text)") { try load(text) }
        continue
      }
      let made = try #require(try load(text).checks.first)
      guard case .heartbeat(let settings) = made.kind else {
        Issue.record("no heartbeat")
        continue
      }
      switch settings.rhythm {
      case .period(let period): #expect(expected == 1 && period == .seconds(7200), "\(text)")
      case .cron(let plan, _): #expect(expected == 2 && plan.text == "0 3 * * *", "\(text)")
      }
    }
  }

  private static let bodies: [String?] = [nil, "body: own", "body_file: body.json"]

  @Test(arguments: [0, 1, 2], [0, 1, 2]) func bodies(own: Int, inherited: Int) throws {
    let near = Self.bodies[own].map { ", \($0)" } ?? ""
    let far = Self.bodies[inherited] ?? "tags: [x]"
    let check = "{name: A, type: http, url: \"https://a.example/\", method: POST\(near)"
    let expected = own > 0 ? own : inherited
    for text in places(of: "http", far, check) {
      let made = try #require(try load(text).checks.first)
      guard case .http(let http) = made.kind else {
        Issue.record("no request")
        continue
      }
      #expect(http.body?.reveal() == [nil, "own", "{}"][expected], "\(text)")
    }
  }
}
