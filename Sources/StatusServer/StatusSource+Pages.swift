// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status

// Content of pages beyond the snapshot, fetched for each.
extension CheckPast {
  /// - Parameters:
  ///   - period: of the line.
  ///   - now: of the snapshot beside it, so that both have the same figures.
  init(
    of check: UniqueID, _ period: UptimePeriod, from source: any StatusSource, at now: Timestamp
  ) async {
    self.init()
    self.period = period
    line = await source.series(check, period, points: SeriesPoint.limit, at: now) ?? []
    for period in UptimePeriod.allCases {
      strips[period] = await source.series(check, period, points: UptimeStrip.cells(period), at: now)
    }
    outages = await source.outages(check, at: now) ?? []
  }
}

extension PublicPicture {
  init(_ face: PublicFace, from source: any StatusSource) async {
    let snapshot = await source.snapshot()
    await self.init(face, snapshot) { check in
      (
        days: await source.series(
          check, .quarter, points: UptimeStrip.cells(.quarter), at: snapshot.now) ?? [],
        outages: await source.outages(check, at: snapshot.now) ?? []
      )
    }
  }
}
