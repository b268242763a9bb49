// SPDX-License-Identifier: MIT

import Basics

// Functions and methods of values.
extension IcingaWork {
  func call(
    _ function: IcingaExpression, _ values: [IcingaValue], _ scope: Scope
  ) throws(ImportProblem) -> IcingaValue {
    let sources = values.flatMap(\.sources)
    if let why = values.lazy.compactMap(\.why).first { return .unknown(why) }
    if case .member(let whole, let name) = function {
      return try method(name, of: try evaluate(whole, scope), values)
    }
    guard case .name(let name) = function else { return .unknown("a call is not worked out") }
    switch (name, values.count) {
    case ("match", 2), ("match", 3):
      guard let isMatched = try match(values) else { return .unknown("match is not worked out") }
      return IcingaValue(kind: .flag(isMatched), sources: sources)
    case ("len", 1): return try method("len", of: values[0], [])
    case ("string", 1):
      return values[0].text.map { IcingaValue(kind: .text($0), sources: sources) }
        ?? .unknown("string is not worked out")
    case ("number", 1):
      return values[0].number.map { IcingaValue(kind: .number($0), sources: sources) }
        ?? .unknown("number is not worked out")
    case ("bool", 1):
      return values[0].truth.map { IcingaValue(kind: .flag($0), sources: sources) } ?? values[0]
    default: return .unknown("the function \(name.printable(maxBytes: 60)) is not worked out")
    }
  }

  /// All of a list have to match, or any where the third value says so. An empty list does not, in either case.
  ///
  /// - Returns: `nil` where a value is neither a text nor a list of texts.
  private func match(_ values: [IcingaValue]) throws(ImportProblem) -> Bool? {
    guard let pattern = values[0].shown else { return nil }
    let texts: [IcingaValue] =
      switch values[1].kind {
      case .list(let items): items
      default: [values[1]]
      }
    var isAny = false
    if values.count > 2 {
      guard let mode = values[2].number, mode == 0 || mode == 1 else { return nil }
      isAny = mode == 1
    }
    var results: [Bool] = []
    for item in texts {
      guard let text = item.shown else { return nil }
      try step(pattern.utf8.count + text.utf8.count)
      results.append(Glob.matches(pattern.lowercased(), text.lowercased()))
    }
    guard !results.isEmpty else { return false }
    return isAny ? results.contains(true) : !results.contains(false)
  }

  private func method(
    _ name: String, of whole: IcingaValue, _ values: [IcingaValue]
  ) throws(ImportProblem) -> IcingaValue {
    if case .unknown = whole.kind { return whole }
    let sources = whole.sources + values.flatMap(\.sources)
    switch (name, whole.kind, values.first?.text) {
    case ("len", .list(let items), _):
      return IcingaValue(kind: .number(Double(items.count)), sources: sources)
    case ("len", .map(let entries), _):
      return IcingaValue(kind: .number(Double(entries.count)), sources: sources)
    case ("len", .text(let text), _):
      return IcingaValue(kind: .number(Double(text.utf8.count)), sources: sources)
    case ("len", .null, _): return IcingaValue(kind: .number(0))
    case ("contains", .map, let key?): return IcingaValue(kind: .flag(whole[key] != nil), sources: sources)
    case ("contains", .text(let text), let part?):
      return IcingaValue(kind: .flag(part.isEmpty || text.range(of: part) != nil), sources: sources)
    case ("contains", .list(let items), _):
      let found = try isAmong(values[0], items)
      return IcingaValue(kind: found.kind, sources: sources)
    case ("lower", .text(let text), _): return IcingaValue(kind: .text(text.lowercased()), sources: sources)
    case ("upper", .text(let text), _): return IcingaValue(kind: .text(text.uppercased()), sources: sources)
    case ("keys", .map(let entries), _):
      return IcingaValue(kind: .list(entries.map { IcingaValue(kind: .text($0.name)) }), sources: sources)
    default: return .unknown("the function \(name.printable(maxBytes: 60)) is not worked out")
    }
  }
}

// Names that Icinga itself sets.
extension IcingaWork {
  /// Constants of paths, as packages set them.
  static let paths = [  // own text
    "PrefixDir": "/usr", "SysconfDir": "/etc", "ConfigDir": "/etc/icinga2",
    "ZonesDir": "/etc/icinga2/zones.d",
    "LocalStateDir": "/var", "RunDir": "/run", "DataDir": "/var/lib/icinga2", "LogDir": "/var/log/icinga2",
    "CacheDir": "/var/cache/icinga2", "SpoolDir": "/var/spool/icinga2", "PkgDataDir": "/usr/share/icinga2",
  ]

  /// States and types of notifications.
  static let filters: Set<ByteText> = [
    "OK", "Warning", "Critical", "Unknown", "Up", "Down", "Problem", "Recovery", "Acknowledgement", "Custom",
    "FlappingStart", "FlappingEnd", "DowntimeStart", "DowntimeEnd", "DowntimeRemoved",
  ]
}
