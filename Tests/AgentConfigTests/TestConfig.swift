// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring

/// The settings of a text, in the test sources' world.
func settings(_ text: String, file: String = "agent.yaml") throws(ConfigErrors) -> Settings {
  try ConfigLoader.parse(text: text, file: file, sources: .test).settings
}

func warnings(_ text: String) throws(ConfigErrors) -> [String] {
  try ConfigLoader.parse(text: text, file: "agent.yaml", sources: .test).warnings.map(\.description)
}

/// What is wrong with a text; empty when nothing is.
func problems(_ text: String) -> [String] {
  do throws(ConfigErrors) {
    _ = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: .test)
    return []
  } catch {
    return error.problems.map(\.description)
  }
}

/// The smallest configuration with something to do.
let oneCheck = """
  checks:
    - name: Shop front
      type: http
      url: https://shop.example/

  """
