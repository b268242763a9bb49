// SPDX-License-Identifier: MIT

import Basics

/// `data[0].name` behind `[BODY]`, as a path of RFC 9535.
struct GatusPath {
  private enum Step {
    case name(String)
    case index(Int)
  }

  private var steps: [Step]

  /// The whole body.
  static let root = GatusPath(steps: [])

  private init(steps: [Step]) { self.steps = steps }

  /// `nil` when Gatus goes another way than its words say.
  init?(_ text: String) {
    steps = []
    guard text.utf8.count <= 1000 else { return nil }
    for key in text.split(separator: ".", omittingEmptySubsequences: false) {
      let name = key.prefix { $0 != "[" }
      var rest = key[name.endIndex...]
      guard !key.isEmpty, !name.contains("]") else { return nil }
      if !name.isEmpty { steps.append(.name(String(name))) }
      while !rest.isEmpty {
        guard rest.first == "[", let close = rest.firstIndex(of: "]"),
          let index = Int(rest.dropFirst()[..<close]),
          index >= 0
        else { return nil }
        steps.append(.index(index))
        rest = rest[rest.index(after: close)...]
      }
    }
  }

  func element(_ index: Int) -> GatusPath { GatusPath(steps: steps + [.index(index)]) }

  var text: String { spelling(0) ?? "$" }

  /// The path in one of its spellings, which differ in the first name: `$.a`, `$['a']`, `$["a"]`. `nil`: there is none left.
  func spelling(_ number: Int) -> String? {
    var left = number
    var made = "$"
    var isFirst = true
    for step in steps {
      switch step {
      case .index(let index): made += "[\(index)]"
      case .name(let name):
        let spellings = Self.spellings(name)
        guard isFirst else {
          made += spellings[0]
          continue
        }
        isFirst = false
        guard left < spellings.count else { return nil }
        made += spellings[left]
        left = 0
      }
    }
    return left == 0 ? made : nil
  }

  private static func spellings(_ name: String) -> [String] {
    let escaped = name.replacing("\\", with: "\\\\")
    let quoted = [
      "['\(escaped.replacing("'", with: "\\'"))']", "[\"\(escaped.replacing("\"", with: "\\\""))\"]",
    ]
    let isLetter: (UInt8) -> Bool = { (0x61...0x7a).contains($0 | 0x20) || $0 == 0x5f }
    guard let first = name.utf8.first, isLetter(first),
      name.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) })
    else { return quoted }
    return [".\(name)"] + quoted
  }
}
