// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import History
import Logging
import Monitoring
import Status

/// The recent results and the windows, kept on the disk; a step of the clock is left out of them.
struct HistoryPart: AgentPart {
  let store: HistoryStore
  private let keeper: HistoryKeeper
  private let base: AgentBase

  /// Restores it. The checks of the API are known by now: what belongs to no check is dropped.
  init(_ base: AgentBase) async {
    let outside = base.outside
    var keeper = HistoryKeeper(
      folder: outside.history, spool: outside.spool, log: base.log, time: base.time)
    keeper.disk = outside.disk
    (self.keeper, self.base) = (keeper, base)
    store = await keeper.restore(grid: base.grid, checks: base.catalog.checks)
  }

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [
      { await keeper.run(store) },
      { await ClockWatch(store, log: base.log, time: base.time).run() },
    ]
  }

  func follow(_ list: FollowedList) { store.apply(list.known, now: base.time.wall()) }
  var notices: [Notice] { [store.damage].compactMap(\.self) }
  func finish() async { await keeper.save(store) }
}

/// Checks that are not configured any more, of which results are still kept.
struct GonePart: AgentPart {
  let history: HistoryStore
  let base: AgentBase

  func services(_ picture: @escaping AgentPicture) -> [AgentService] {
    [
      {
        await NoticeWatch(every: base.outside.looks * 2, log: base.log, time: base.time) { now in
          [history.goneNotice(now: now)].compactMap(\.self)
        }.run()
      }
    ]
  }

  var notices: [Notice] { [history.goneNotice(now: base.time.wall())].compactMap(\.self) }
  func contribute(to metrics: inout MetricsView) { metrics.gone = history.gone }
}
