// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

enum TrapStage: String {
  case reading, used
}

/// For the stories of the test suite: dies where a reader would, over the input that `QUARTZ_TEST_TRAP` names by the
/// beginning of its name and the stage, such as `checks.json:reading`; `:hanging` reads for ever. Not in a release build,
/// in which no variable does anything of the kind.
func plantedTrap(_ name: String, _ stage: TrapStage) {
  #if DEBUG
    guard let planted = getenv("QUARTZ_TEST_TRAP") else { return }
    let words = String(cString: planted).split(separator: ":")
    guard words.count == 2, name.hasPrefix(words[0]) else { return }
    if words[1] == "hanging", stage == .reading { sleep(600) }
    if words[1] == stage.rawValue { preconditionFailure("planted") }
  #endif
}
