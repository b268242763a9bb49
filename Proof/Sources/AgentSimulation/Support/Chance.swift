// SPDX-License-Identifier: MIT

import Basics
import CSimulation

/// The process' own chance, as the agent draws it.
enum Chance {
  /// Begins again, with nothing left of the seed before: the agent's pool holds what it has drawn and not used yet.
  static func begin(_ seed: UInt64) {
    emptyPool()
    simulation_seed(seed)
  }

  private static func emptyPool() {
    _ = drawUntilFilled()
    let page = drawUntilFilled()
    var pool = RandomPool()
    for _ in 1..<page { _ = pool.next() }
  }

  /// - Returns: how many words were drawn; the last one is the first of a new page.
  private static func drawUntilFilled() -> Int {
    var pool = RandomPool()
    let before = simulation_fills()
    var count = 0
    repeat {
      _ = pool.next()
      count += 1
    } while simulation_fills() == before
    return count
  }
}
