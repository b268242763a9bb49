// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension SpoolCore {
  /// The store that this run had open was removed or replaced: its gap records go to the next one, with one for the
  /// results that are lost with it. Returns these losses, to be counted once the next store is open.
  mutating func loseStore(at time: SpoolTime) -> [Loss] {
    guard let log else { return [] }
    let losses = log.segments.compactMap { lostUnread($0, at: time) }
    let remembered = log.segments.flatMap(\.gaps).filter { $0.isRemembered(at: wall) }
    for gap in remembered + GapRecord.merged(losses.compactMap(\.gap)) where !pendingGaps.contains(gap) {
      pendingGaps.append(gap)
    }
    counters.quarantineDropped += (quarantined?.segments ?? []).reduce(0) { $0 + $1.records }
    return losses
  }

  /// The same as `lostWith`, of a segment whose file is gone.
  private func lostUnread(_ segment: Segment, at time: SpoolTime) -> Loss? {
    guard segment.unsettled > 0, let first = segment.first, let last = segment.last else { return nil }
    var loss = Loss(requested: requested(of: segment))
    for index in loss.requested.indices { loss.requested[index].cause = .storeGone }
    let lost = UInt64(max(0, segment.unsettled - loss.requested.count))
    guard lost > 0 else { return loss }
    var gap = GapRecord(
      cause: .storeGone, lost: lost, records: UInt64(segment.records), sequences: first...max(first, last))
    gap.notedAt = time.wall
    loss.gap = gap
    return loss
  }
}
