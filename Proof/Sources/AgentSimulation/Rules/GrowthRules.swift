// SPDX-License-Identifier: MIT

import Basics
import Spool

/// What an agent holds is bounded, however long it lives and whatever happens.
enum GrowthRules {
  /// Of the store's files, with what they may be beside the ring.
  static func bytes(_ machine: Machine) -> Int { machine.store.bytes }

  static func stateBytes(_ machine: Machine) -> Int { machine.files.values.reduce(0) { $0 + $1.count } }

  static func judge(
    _ life: Life, _ agent: SimulatedAgent, _ machine: Machine, _ setup: AgentSetup, mostTasks: Int
  ) -> Violation.Found? {
    if life.sleeping > mostTasks {
      return (.growth, "\(life.sleeping) tasks of the agent sleep, at most \(mostTasks)")
    }
    let spool = setup.spool
    let bytes = bytes(machine)
    let most = spool.size + spool.quarantineSize + 6 * spool.segmentSize + (64 << 10)
    if bytes > most { return (.growth, "the store has \(bytes) bytes, at most \(most)") }
    let reserved = agent.spool.status().bytesReserved
    if reserved > spool.size { return (.growth, "the ring has \(reserved) bytes, at most \(spool.size)") }
    let state = stateBytes(machine)
    if state > 2 << 20 { return (.growth, "the state files have \(state) bytes") }
    return nil
  }
}
