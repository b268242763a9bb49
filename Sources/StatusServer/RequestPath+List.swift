// SPDX-License-Identifier: MIT

import Basics
import Status

// The list of checks as an address asks for it.
extension ListFilter {
  init(_ path: RequestPath) throws(BadRequest) {
    self.init()
    text = String((path["q"] ?? "").prefix(100))
    for tag in path.all("tag") where !tag.isEmpty && !tags.contains(tag) { tags.append(tag) }
    for word in path.all("state") where !word.isEmpty {
      guard let known = State(rawValue: word) else {
        throw BadRequest("state must be one of \(State.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      if !states.contains(known) { states.append(known) }
    }
  }
}

extension ListOrder {
  /// `nil` where no order is requested.
  static func of(_ path: RequestPath) throws(BadRequest) -> ListOrder? {
    guard let word = path["sort"], !word.isEmpty else { return nil }
    guard let order = ListOrder(rawValue: word) else {
      throw BadRequest("sort must be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return order
  }
}
