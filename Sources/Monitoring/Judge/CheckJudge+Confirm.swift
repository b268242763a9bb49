// SPDX-License-Identifier: MIT

import Basics

// confirm
extension CheckJudge {
  /// Whether this agent is in one of the places is judged where its group is known.
  mutating func confirm() {
    guard let confirm = definition.plan.confirm else { return }
    places(confirm.of)
    let path = ["confirm", "from"]
    if confirm.from < 1 {
      problem(path, "confirm.from must be at least 1, found \(confirm.from)")
    } else if confirm.from > confirm.of.count, ConfirmSettings.places.contains(confirm.of.count) {
      problem(
        path, "confirm.from is \(confirm.from), but confirm.of names \(confirm.of.count) places",
        hint: "at most as many as there are")
    }
    if ranged(confirm.within, ["confirm", "within"], ConfirmSettings.time), confirm.within > interval {
      problem(
        ["confirm", "within"],
        "confirm.within must be at most the interval (\(interval.text)), found \(confirm.within.text)",
        hint: "else the next result is there before the verdict on this one")
    } else if confirm.within <= timeout {
      problem(
        ["confirm", "within"],
        "confirm.within must be longer than the timeout (\(timeout.text)), found \(confirm.within.text)",
        hint: "a region that times out must still be able to vote")
    }
  }

  private mutating func places(_ names: [String]) {
    let path = ["confirm", "of"]
    guard ConfirmSettings.places.contains(names.count) else {
      return problem(
        path,
        "confirm.of must name \(ConfirmSettings.places.lowerBound) to \(ConfirmSettings.places.upperBound) places, found \(names.count)",
        hint: "a place is the name of a group, and this agent's own is one of them")
    }
    for (index, name) in names.enumerated() {
      let place = path + [String(index)]
      if !ConfirmSettings.isPlace(name) {
        problem(
          place, "\(CheckProblem.keyText(place)) is no name of a group: \"\(name.shown(maxBytes: 80))\"",
          hint: "letters, digits, dots, hyphens and underscores, at most \(ConfirmSettings.nameLength)")
      } else if names[..<index].contains(name) {
        problem(place, "\(CheckProblem.keyText(place)) repeats \"\(name)\"")
      }
    }
  }
}
