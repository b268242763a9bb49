// SPDX-License-Identifier: MIT

import Basics

extension CheckState {
  /// Status is always a mark plus a word: colour alone says nothing to many people.
  package var mark: String {
    switch self {
    case .up: "●"
    case .degraded: "▲"
    case .down: "✕"
    case .unknown: "?"
    }
  }

  package var word: String { rawValue.uppercased() }
}
