// SPDX-License-Identifier: MIT

import Synchronization

/// Disks as they were after each operation.
final class Instants: Sendable {
  private let disks = Mutex<[MemoryDisk]>([])

  func add(_ disk: MemoryDisk) { disks.withLock { $0.append(disk) } }

  func take() -> [MemoryDisk] {
    disks.withLock { disks in
      defer { disks = [] }
      return disks
    }
  }
}
