// SPDX-License-Identifier: MIT

import Basics

/// The path that an answer's aliases lead along, from the name asked for to the records at its end.
///
/// However long it is: a message has 65,535 bytes, and each alias is looked up once.
package struct AliasPath: Hashable, Sendable {
  /// Names after the one asked for, in order.
  private(set) var names: [DNSName] = []
  /// Records of the type asked for at the end.
  package private(set) var records: [DNSRecord] = []
  /// The aliases lead in a circle.
  package private(set) var isCircle = false

  /// Only what is of the question's class says anything about it.
  package init(of message: DNSMessage, for question: DNSQuestion) {
    let answers = message.answers.filter { $0.recordClass == question.recordClass }
    records = answers.filter { $0.type == question.type && $0.name == question.name }
    guard records.isEmpty, answers.contains(where: { $0.type == .cname }) else { return }
    let end = follow(answers, from: question)
    if !isCircle { records = answers.filter { $0.type == question.type && $0.name == end } }
  }

  /// Behind words that the name has no record: where its aliases ended. Authoritative servers stop after a few of them.
  package var ending: String { names.last.map { "; its aliases end at \($0)" } ?? "" }

  private mutating func follow(_ answers: [DNSRecord], from question: DNSQuestion) -> DNSName {
    let ends = Set(answers.lazy.filter { $0.type == question.type }.map(\.name))
    var targets: [DNSName: DNSName] = [:]
    for record in answers where record.type == .cname && targets[record.name] == nil {
      if case .name(let target) = record.value { targets[record.name] = target }
    }
    var name = question.name
    var visited: Set<DNSName> = [name]
    while !ends.contains(name), let target = targets[name] {
      guard visited.insert(target).inserted else {
        isCircle = true
        break
      }
      names.append(target)
      name = target
    }
    return name
  }
}
