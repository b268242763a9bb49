// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool
import Status

/// The durable store of results.
struct StorePart: AgentPart {
  let base: AgentBase

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [
      {
        await StoreWatch(base.outside.spool, every: base.outside.looks, log: base.log, time: base.time).run()
      }
    ]
  }

  func contribute(to snapshot: inout StatusSnapshot) {
    snapshot.spool = SpoolView(base.outside.spool.status())
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
    if trouble?.place == .stateDirectory { snapshot.spool?.problem = notice }
    if let notice, snapshot.spool?.problem != notice { snapshot.notices.append(notice) }
  }

  func contribute(to metrics: inout MetricsView) { metrics.unwritten = disk.trouble?.files.count ?? 0 }
  var shortcomings: [String] { [notice].compactMap(\.self).map { "\($0.place.text): \($0.what)" } }
}

extension SpoolView {
  init(_ status: SpoolStatus) {
    self.init()
    depth = status.depth
    oldest = status.oldest
    usedBytes = Int64(status.bytesUsed)
    capacityBytes = Int64(status.bytesReserved)
    durable = status.isDurable
    dropped = Int(clamping: status.dropped)
    quarantined = status.quarantined
    hoursCovered = status.hoursCovered
    gaps = status.gaps.count
    lostInGaps = Int(clamping: status.gaps.reduce(0) { $0 + min($1.lost, 1 << 40) })
    if var notice = status.trouble {
      notice.what = "results are kept in memory only: \(notice.what)"
      problem = notice
    } else {
      problem = status.notes.first
    }
  }
}
