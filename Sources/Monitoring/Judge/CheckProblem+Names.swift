// SPDX-License-Identifier: MIT

import Basics

extension CheckProblem {
  /// The fault of a name in the configuration. `nil` where it has none.
  ///
  /// - Parameter most: bytes.
  static func name(_ name: String, most: Int = CheckLimits.nameBytes) -> CheckProblem? {
    if !name.contains(where: { !$0.isWhitespace }) { return CheckProblem(["name"], "name is empty") }
    if name.utf8.count > most {
      return CheckProblem(["name"], "name must be at most \(most) bytes, found \(name.utf8.count)")
    }
    return name.hasControlCharacter ? CheckProblem(["name"], "name contains a control character") : nil
  }

  /// The fault of a list that chooses checks. `nil` where it has none, or is left out.
  ///
  /// - Parameter most: entries.
  static func selection(_ key: String, _ list: [String]?, most: Int) -> CheckProblem? {
    guard let list else { return nil }
    if list.isEmpty {
      return CheckProblem([key], "\(key) is empty", hint: "leave it out to choose all, or name some")
    }
    return list.count > most
      ? CheckProblem([key], "\(key) may list at most \(most), found \(list.count)") : nil
  }
}
