// SPDX-License-Identifier: MIT

import Basics

/// Groups of one type that their own rules assign objects to. For one thread.
struct IcingaGroups {
  private var groups: [(name: String, object: IcingaObject)] = []
  private let work: IcingaWork

  /// - Parameter type: `HostGroup`, `ServiceGroup` or `UserGroup`.
  init(_ objects: [IcingaObject], of type: String, _ work: IcingaWork) throws(ImportProblem) {
    self.work = work
    for object in objects where object.kind == .object && object.type == type {
      guard let expression = object.name,
        let name = try work.evaluate(expression, IcingaWork.Scope()).text
      else { continue }
      groups.append((name, object))
    }
  }

  /// The object with the groups that it is assigned to. One whose rule is not worked out is unknown among them.
  ///
  /// - Parameters:
  ///   - kind: name of the object in the rules.
  ///   - others: further names in the rules, which are also attributes of the object there.
  func joined(
    _ value: IcingaValue, as kind: String, beside others: [(name: String, value: IcingaValue)] = []
  ) throws(ImportProblem) -> IcingaValue {
    guard case .map(var entries) = value.kind else { return value }
    for (name, object) in groups {
      try work.step(entries.count / 16)
      var scope = IcingaWork.Scope()
      scope.names = others + [(kind, IcingaValue(kind: .map(entries + others), sources: value.sources))]
      try work.make(object, &scope)
      guard scope.isMatched != false else { continue }
      var group = IcingaValue(kind: .text(name))
      if scope.isMatched == nil {
        group = .unknown("the rule of the group \(name.printable(maxBytes: 60)): \(scope.obstacle)")
        group.candidate = name
      }
      if let place = entries.firstIndex(where: { $0.name == "groups" }) {
        let known = entries[place].value
        entries[place].value = IcingaValue(kind: .list(known.items + [group]), sources: known.sources)
      } else {
        entries.append(("groups", IcingaValue(kind: .list([group]))))
      }
    }
    return IcingaValue(kind: .map(entries), sources: value.sources)
  }
}

/// Users in groups: by their own attribute, by the rules of the groups, and through groups within a group. For one thread.
final class IcingaMembers {
  private let work: IcingaWork
  private var members: [ByteText: [String]] = [:]
  private var doubts: [ByteText: String] = [:]
  /// Groups that a group is in.
  private var outer: [ByteText: [String]] = [:]
  private var ids: [(name: ByteText, id: Int)] = []

  init(_ objects: [IcingaObject], _ work: IcingaWork) throws(ImportProblem) {
    self.work = work
    for object in objects where object.kind == .object && object.type == "UserGroup" {
      var scope = IcingaWork.Scope()
      guard let expression = object.name, let name = try work.evaluate(expression, scope).text else {
        continue
      }
      try work.make(object, &scope)
      outer[ByteText(name)] = scope["groups"]?.items.compactMap(\.text) ?? []
      ids.append((ByteText(name), object.id))
    }
  }

  /// Enters a user, with its groups by rules.
  func enter(_ name: String, _ groups: [IcingaValue]) throws(ImportProblem) {
    // A group that is known wins over the same group in doubt.
    var open = groups.filter { $0.why != nil } + groups.filter { $0.why == nil }.reversed()
    var seen: Set<ByteText> = []
    while let item = open.popLast() {
      guard let group = item.candidate ?? item.text, seen.insert(ByteText(group)).inserted else { continue }
      try work.step()
      if let why = item.why {
        if doubts[ByteText(group)] == nil { doubts[ByteText(group)] = why }
      } else {
        members[ByteText(group), default: []].append(name)
      }
      for further in outer[ByteText(group)] ?? [] {
        open.append(IcingaValue(kind: item.why == nil ? .text(further) : item.kind, candidate: further))
      }
    }
  }

  subscript(group: String) -> [String] { members[ByteText(group)] ?? [] }

  /// Why users may be missing in the group; `nil` where none is.
  func doubt(of group: String) -> String? { doubts[ByteText(group)] }

  /// Groups that have such a user.
  func groups(where isWanted: (String) -> Bool) -> [Int] {
    ids.filter { (members[$0.name] ?? []).contains(where: isWanted) }.map(\.id)
  }
}
