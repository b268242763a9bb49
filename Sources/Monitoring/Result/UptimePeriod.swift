// SPDX-License-Identifier: MIT

import Basics

/// The windows that uptime is told of.
package enum UptimePeriod: String, CaseIterable, Hashable, Sendable {
  case day = "24h"
  case week = "7d"
  case month = "30d"
  case quarter = "90d"

  package var duration: Duration {
    switch self {
    case .day: .seconds(86_400)
    case .week: .seconds(7 * 86_400)
    case .month: .seconds(30 * 86_400)
    case .quarter: .seconds(90 * 86_400)
    }
  }
}
