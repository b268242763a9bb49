// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring

/// The first minute: inputs over which starts die, and memory that only a start needs.
struct StartsPart: AgentPart {
  let starts: StartWatch
  let time: TimeSource

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [settle, settleMemory]
  }

  /// Marks the inputs as sound after a minute: a later death is not put down to them.
  private func settle() async {
    guard (try? await time.sleep(for: .seconds(60))) != nil else { return }
    await onThread { starts.settle() }
  }

  /// The first probes have run, and with them what runs once.
  private func settleMemory() async {
    guard (try? await time.sleep(for: .seconds(10))) != nil else { return }
    await onThread {
      releaseFreeMemory()
      releaseCodePages()
    }
  }

  var notices: [Notice] { starts.notices }
}
