// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

extension Walk {
  /// Reads the checks of all files, expanded, and puts them into the root as the one list `checks`.
  mutating func checks(of files: [ReuseFile], into root: inout GivenMap) {
    groupNames(root)
    guard let position = files.lazy.compactMap(\.position).first else { return }
    var told: [(position: Position, message: String, hint: String?)] = []
    var expansion = Expansion(files, lacksFiles: lacksFiles) { told.append(($0, $1, $2)) }
    let reading = self
    let made = expansion.checks(type: { reading.checkType($0) }) { told.append(($0, $1, $2)) }
    for lack in expansion.lacking { leaveOut(lack.target, "it has no \(lack.word), which its check names") }
    for problem in told { self.problem(problem.position, problem.message, hint: problem.hint) }
    lacksChecks = lacksChecks || !told.isEmpty || expansion.lacksTemplates
    let list = read(made, at: position)
    root.entries.removeAll { $0.name == "checks" && !$0.value.isInvalid }
    guard root["checks"] == nil else { return }
    // A check that could not be made was reported; the list is then no list that lacks something.
    let isBroken = made.isEmpty && lacksChecks
    root.entries.append(("checks", Given(isBroken ? .invalid : .list(list), at: position)))
  }

  /// The checks with their `roles`, without the targets that make none.
  private mutating func read(_ made: [Expansion.Made], at position: Position) -> [Given] {
    let place = KeyPlace(path: ["checks"], position: position)
    var list: [Given] = []
    for made in made {
      let below = place.below(String(list.count), made.node.position)
      let before = reader
      let given = value(made.node, .check, below)
      guard mayStay(made.role, since: before) else { continue }
      list.append(given)
      roles.append(made.role)
    }
    return list
  }

  /// A name says which checks belong together, so it is given once.
  private mutating func groupNames(_ root: GivenMap) {
    var seen: Set<ByteText> = []
    for item in root["groups"]?.list ?? [] {
      guard let map = item.map else { continue }
      guard let name = map["name"]?.text else {
        if map["name"] == nil {
          problem(item.position, "groups: name is missing", hint: "such as name: Shop")
        }
        continue
      }
      if name.isEmpty || name.utf8.count > CheckLimits.tagBytes - 6 || name.hasControlCharacter {
        problem(
          map.position(of: ["name"]),
          "a group's name must be 1 to \(CheckLimits.tagBytes - 6) bytes without control characters")
      } else if !seen.insert(ByteText(name)).inserted {
        problem(
          map.position(of: ["name"]), "the group \(quoted(name)) is given twice", hint: "put them together")
      }
    }
  }
}
