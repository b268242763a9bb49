// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A check for tests in which nothing is probed.
func tcpCheck(_ name: String) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  definition.name = name
  definition.type = "tcp"
  definition.host = "shop.example"
  definition.port = 80
  return try MonitoringCheck(definition)
}
