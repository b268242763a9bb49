// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool
import Status

/// The durable store of results.
struct StorePart: AgentPart {
  let base: AgentBase
  /// Results are delivered to a receiver.
  let delivers: Bool

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [
      {
        await StoreWatch(base.outside.spool, every: base.outside.looks, log: base.log, time: base.time).run()
      }
    ]
  }

  func contribute(to snapshot: inout StatusSnapshot) {
    snapshot.spool = Self.shown(base.outside.spool.status(), delivers: delivers)
  }

  /// Where nothing is delivered, no outage is bridged.
  static func shown(_ status: SpoolStatus, delivers: Bool) -> SpoolStatus {
    var status = status
    if !delivers { status.hoursCovered = nil }
    return status
  }
}

/// The other files of the state directory.
struct DiskPart: AgentPart {
  let base: AgentBase

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [
      {
        await DiskWatch(disk, store: { trouble }, every: base.outside.looks, log: base.log, time: base.time)
          .run()
      }
    ]
  }

  private var disk: StateDisk { base.outside.disk }
  private var trouble: Notice? { base.outside.spool.status().trouble }
  private var notice: Notice? { disk.notice(store: trouble) }

  func contribute(to snapshot: inout StatusSnapshot) {
    let (trouble, notice) = (trouble, notice)
    // One disk, one problem.
    if trouble?.place == .stateDirectory { snapshot.diskProblem = notice }
    if let notice, snapshot.spoolProblem != notice { snapshot.notices.append(notice) }
  }

  func contribute(to metrics: inout MetricsView) { metrics.unwritten = disk.trouble?.files.count ?? 0 }
  var shortcomings: [String] { [notice].compactMap(\.self).map { "\($0.place.text): \($0.what)" } }
}
