// SPDX-License-Identifier: MIT

import Groups
import Monitoring
import Spool

/// A store of results in which there is nothing yet.
func emptySpool(in folder: String) async throws -> ResultSpool {
  try await ResultSpool.open(
    Spool.SpoolSettings(path: folder + "/spool", size: 16 << 20, durability: .interval))
}

/// A store that has no incidents and is away.
struct NoIncidents: IncidentStore {
  func readIncidents() async -> Result<IncidentReading, StoreTrouble> {
    .failure(StoreTrouble(.unreachable, "away"))
  }
  func write(_ changes: [IncidentChange]) async -> Result<Int64?, StoreTrouble> {
    .failure(StoreTrouble(.unreachable, "away"))
  }
  func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { false }
  func watchIncidents(
    after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
  ) async -> WatchEnd { .over }
}
