// SPDX-License-Identifier: MIT

import Basics

// Parts of a file that are passed over.
extension IcingaParser {
  /// Up to the end of the line, over what is in brackets.
  ///
  /// - Parameter isInside: a bracket that closes, or a comma, ends it as well.
  /// - Returns: there were objects in it.
  @discardableResult mutating func passOver(isInside: Bool = false) throws(ImportProblem) -> Bool {
    var hasObjects = false
    var depth = 0
    while token != .end {
      switch token {
      case .newline where depth <= 0, .sign(";") where depth <= 0:
        // Inside, the end of the line belongs to what is around it.
        if !isInside { try advance() }
        return hasObjects
      case .sign("}") where isInside && depth <= 0, .sign(")") where isInside && depth <= 0,
        .sign("]") where isInside && depth <= 0, .sign(",") where isInside && depth <= 0:
        return hasObjects
      case .word("object"), .word("apply"): hasObjects = hasObjects || depth > 0
      case .sign("{"), .sign("("), .sign("["): depth += 1
      case .sign("}"), .sign(")"), .sign("]"): depth -= 1
      case .sign("{{"): try tokens.skipFunction()
      default: break
      }
      try advance()
    }
    return hasObjects
  }

  /// A function in short, such as `x => x == 1`, from its arrow on.
  mutating func lambda() throws(ImportProblem) -> IcingaExpression {
    try passOver(isInside: true)
    return .unknown("a lambda is not worked out")
  }

  /// Reads an object. One with a construct that is not known here is left out, as long as its end is found.
  mutating func wholeObject(_ kind: IcingaObject.Kind) throws(ImportProblem) {
    let start = (tokens: tokens, token: token, line: line)
    (leaves, place, isUnread) = ([], [], false)
    do throws(ImportProblem) { try object(kind) } catch {
      guard isUnread else { throw error }
      (tokens, token, line) = start
      guard try skipObject() else { throw error }
      let why = "it is not read: \(error.message)"
      for leaf in leaves { ledger.list(leaf.node, why) }
      ledger.leaveOut("\(place.first ?? "object") at line \(start.line)", why)
    }
  }

  /// Up to the bracket that closes the first block.
  ///
  /// - Returns: false where there is none.
  private mutating func skipObject() throws(ImportProblem) -> Bool {
    var open: [String] = []
    while token != .end {
      switch token {
      case .sign("{"), .sign("("), .sign("["):
        if case .sign(let sign) = token { open.append(sign) }
      case .sign("}"), .sign(")"), .sign("]"):
        let pairs = ["}": "{", ")": "(", "]": "["]  // own text
        guard case .sign(let sign) = token, let last = open.popLast(), pairs[sign] == last else {
          return false
        }
        if open.isEmpty, sign == "}" {
          try advance()
          return true
        }
      case .sign("{{"): try tokens.skipFunction()
      default: break
      }
      try advance()
    }
    return false
  }
}
