// SPDX-License-Identifier: MIT

import Groups

/// A group's store that is away, but for what a test has of it.
protocol AbsentStore: GroupStore {}

extension AbsentStore {
  func ask(_ request: StoreRequest) async throws(CancellationError) -> StoreAnswer { .dead }

  func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd { .over }

  func readList(_ head: ListHead) async throws(CancellationError) -> Result<[[UInt8]], StoreTrouble> {
    .success([])
  }

  func publishList(_ head: ListHead, _ parts: [[UInt8]], replacing revision: Int64)
    async throws(CancellationError) -> Result<Bool, StoreTrouble>
  { .success(true) }
}

struct NoStore: AbsentStore {}
