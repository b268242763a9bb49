// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A check for tests in which nothing is probed.
func tcpCheck(
  _ name: String, host: String = "shop.example", _ change: (inout CheckDefinition) -> Void = { _ in }
) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  definition.name = name
  definition.type = "tcp"
  definition.host = host
  definition.port = 80
  change(&definition)
  return try MonitoringCheck(definition)
}
