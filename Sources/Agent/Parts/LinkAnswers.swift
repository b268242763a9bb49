// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Synchronization

/// Answers of the agent to the questions of its link to the API. The link is made before the parts that know it, and runs after them.
final class LinkAnswers: Sendable {
  private let ends = Mutex<(apps: AppDesk, reporter: AgentReporter)?>(nil)

  func begin(_ apps: AppDesk, _ reporter: AgentReporter) { ends.withLock { $0 = (apps, reporter) } }

  /// Knows neither from now on.
  func end() { ends.withLock { $0 = nil } }

  func contact(hasAlerts: Bool) -> ContactDesk {
    var desk = ContactDesk(can: AppDesk.features(hasAlerts: hasAlerts)) { [self] in
      apps?.hear($0)
    } ask: { [self] in
      apps?.asks.ask(of: $0)
    }
    desk.say = { [self] in apps?.say() ?? ContactSaying() }
    return desk
  }

  func report() async -> AgentReport {
    await ends.withLock { $0?.reporter }?.report() ?? AgentReport()
  }

  private var apps: AppDesk? { ends.withLock { $0?.apps } }
}
