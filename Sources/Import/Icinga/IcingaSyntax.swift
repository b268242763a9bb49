// SPDX-License-Identifier: MIT

import Basics

/// An expression of Icinga 2's language, as far as objects have it.
indirect enum IcingaExpression {
  case literal(IcingaValue)
  case name(String)
  case member(IcingaExpression, String)
  case index(IcingaExpression, IcingaExpression)
  case call(IcingaExpression, [IcingaExpression])
  case not(IcingaExpression)
  case binary(String, IcingaExpression, IcingaExpression)
  case list([IcingaExpression])
  case map([IcingaStatement])
  /// A function, or what else is not worked out.
  case unknown(String)
}

indirect enum IcingaStatement {
  case load(IcingaExpression)
  /// A path, `=` or `+=`, and the value.
  case set([IcingaExpression], String, IcingaExpression)
  case assign(IcingaExpression, isIgnored: Bool)
  case branch(IcingaExpression, [IcingaStatement], [IcingaStatement])
  /// Something that is not worked out, in words.
  case other(String)
}

/// `object`, `template` or `apply`.
struct IcingaObject {
  enum Kind { case object, template, apply }

  /// A value that is written in an object.
  struct Leaf {
    /// Attribute that it is part of; empty for the object's name and for rules.
    var attribute: String
    var node: ForeignNode
  }

  /// Number of the object among those of all files.
  var id = 0
  var kind: Kind
  var type: String
  var name: IcingaExpression?
  /// `for (key => value in …)`; the value's name is empty where a list is walked.
  var loop: (key: String, value: String, of: IcingaExpression)?
  /// `to Host`, `to Service`.
  var target = "Host"
  /// Holds for every object of its type.
  var isUsual = false
  var body: [IcingaStatement] = []
  var line: Int
  /// Values that are written in it.
  var leaves: [Leaf] = []
}

/// A value, and what of the files it was made of.
struct IcingaValue {
  indirect enum Kind {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([IcingaValue])
    case map([(name: String, value: IcingaValue)])
    /// Not worked out, in words.
    case unknown(String)
  }

  var kind: Kind
  var sources: [ForeignNode] = []
  /// Group that an unknown item of a list of groups may be.
  var candidate: String?

  static let null = IcingaValue(kind: .null)

  static func unknown(_ why: String) -> IcingaValue { IcingaValue(kind: .unknown(why)) }

  subscript(name: String) -> IcingaValue? {
    if case .map(let entries) = kind { entries.first { $0.name == name }?.value } else { nil }
  }

  /// As a command line has it; `nil` for lists, maps and nothing.
  var text: String? {
    switch kind {
    case .text(let text): text
    case .flag(let flag): flag ? "true" : "false"
    case .number(let number):
      number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    default: nil
    }
  }

  /// As functions have it: what is nothing is an empty text.
  var shown: String? {
    if case .null = kind { "" } else { text }
  }

  /// Nothing, or a text of no bytes.
  var isEmpty: Bool {
    switch kind {
    case .null: true
    case .text(let text): text.isEmpty
    default: false
    }
  }

  var number: Double? {
    switch kind {
    case .number(let number): number
    case .text(let text): Double(text)
    default: nil
    }
  }

  /// True unless it is empty or nothing. `nil` where it cannot be evaluated.
  var truth: Bool? {
    switch kind {
    case .null: false
    case .flag(let flag): flag
    case .number(let number): number != 0
    case .text(let text): !text.isEmpty
    case .list(let items):
      items.isEmpty ? false : items.allSatisfy { $0.candidate != nil } ? nil : true
    case .map(let entries): !entries.isEmpty
    case .unknown: nil
    }
  }

  var why: String? {
    switch kind {
    case .unknown(let why): why
    case .list(let items): items.lazy.compactMap(\.why).first
    case .map(let entries): entries.lazy.compactMap(\.value.why).first
    default: nil
    }
  }

  var items: [IcingaValue] {
    switch kind {
    case .list(let items): items
    case .null: []
    default: [self]
    }
  }

  /// Values in it, itself among them.
  var size: Int {
    switch kind {
    case .list(let items): items.reduce(1 + sources.count) { $0 + $1.size }
    case .map(let entries): entries.reduce(1 + sources.count) { $0 + $1.value.size }
    default: 1 + sources.count
    }
  }

  /// All that it was made of.
  var allSources: [ForeignNode] {
    switch kind {
    case .list(let items): sources + items.flatMap(\.allSources)
    case .map(let entries): sources + entries.flatMap(\.value.allSources)
    default: sources
    }
  }
}
