// SPDX-License-Identifier: MIT

import Basics
import Status
import StatusServer

/// The choice of `status --watch`, which keys change.
struct WatchKeys: Hashable, Sendable {
  enum Effect: Sendable {
    case none
    /// The same answer, with another last line.
    case redraw
    case ask
    case quit
  }

  var sort: ListOrder?
  var states: [ListFilter.State] = []
  /// Names of tags.
  var tags: [String] = []
  var text = ""
  /// Bytes of the text that is being typed; `nil` while keys are commands.
  private var typed: [UInt8]?

  private static let shown: [[ListFilter.State]] = [[], [.down], [.down, .degraded], [.unknown]]
  private static let orders: [ListOrder?] = [nil, .state, .name, .latency, .uptime]
  private static let most = 100
  private static let (backspace, otherBackspace, escape, endOfText, clearLine) =
    (UInt8(0x7f), UInt8(0x08), UInt8(0x1b), UInt8(0x04), UInt8(0x15))

  init(sort: ListOrder? = nil, states: [ListFilter.State] = [], tags: [String] = []) {
    (self.sort, self.states, self.tags) = (sort, states, tags)
  }

  /// As items of a query.
  var query: [String] {
    states.map { "state=\($0.rawValue)" } + tags.map { "tag=\(percentEncoded($0))" }
      + (sort.map { ["sort=\($0.rawValue)"] } ?? []) + (text.isEmpty ? [] : ["q=\(percentEncoded(text))"])
  }

  mutating func take(_ byte: UInt8) -> Effect {
    if typed != nil { return type(byte) }
    switch byte {
    case UInt8(ascii: "q"), Self.endOfText: return .quit
    case UInt8(ascii: "s"): sort = Self.next(of: sort, in: Self.orders) ?? nil
    case UInt8(ascii: "f"): states = Self.next(of: states, in: Self.shown) ?? []
    case UInt8(ascii: "c"): (states, text) = ([], "")
    case UInt8(ascii: "/"):
      typed = []
      return .redraw
    default: return .none
    }
    return .ask
  }

  /// The first one where the value is none of them.
  private static func next<Value: Equatable>(of value: Value, in values: [Value]) -> Value? {
    guard let place = values.firstIndex(of: value) else { return values.first }
    return values[(place + 1) % values.count]
  }

  private mutating func type(_ byte: UInt8) -> Effect {
    var bytes = typed ?? []
    switch byte {
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      text = String(decoding: bytes, as: UTF8.self).printable(maxBytes: Self.most)
      typed = nil
      return .ask
    case Self.escape: typed = nil
    case Self.clearLine: typed = []
    case Self.backspace, Self.otherBackspace:
      // A character of several bytes goes as a whole.
      while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
      typed = bytes
    case 0x20...:
      if bytes.count < Self.most { typed = bytes + [byte] }
    default: return .none
    }
    return .redraw
  }

  /// The last line of the screen.
  var line: String {
    if let typed { return "find: \(String(decoding: typed, as: UTF8.self).printable(maxBytes: Self.most))▏" }
    let order = sort?.rawValue ?? "as configured"
    let choice = states.isEmpty ? "all" : states.map(\.rawValue).joined(separator: ", ")
    let wanted = text.isEmpty ? "" : ": \(text)"
    return "q quit · s sort: \(order) · f show: \(choice) · / find\(wanted) · c clear"
  }
}
