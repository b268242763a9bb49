// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status

// Content of pages beyond the snapshot, fetched for each.
extension CheckPast {
  /// - Parameter period: of the line.
  init(of check: UniqueID, _ period: UptimePeriod, from source: any StatusSource) async {
    self.init()
    self.period = period
    line = await source.series(check, period, points: SeriesPoint.limit) ?? []
    for period in UptimePeriod.allCases {
      strips[period] = await source.series(check, period, points: UptimeStrip.cells(period))
    }
    outages = await source.outages(check) ?? []
  }
}

extension PublicPicture {
  init(_ face: PublicFace, from source: any StatusSource) async {
    await self.init(face, await source.snapshot()) { check in
      (
        days: await source.series(check, .quarter, points: UptimeStrip.cells(.quarter)) ?? [],
        outages: await source.outages(check) ?? []
      )
    }
  }
}
