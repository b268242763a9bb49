// SPDX-License-Identifier: MIT

import Basics

/// The records of an answer that answer the question: those of the type and class asked for, at the name itself or
/// at the end of its aliases. Signatures and what is not on that path are left out.
struct DNSSelection: Hashable, Sendable {
  static let aliasLimit = AddressLookup.aliasLimit

  private(set) var records: [DNSRecord] = []
  /// Aliases followed.
  private(set) var aliases = 0
  /// There are more aliases than anybody follows, or they go in a circle.
  private(set) var isEndless = false

  init(of message: DNSMessage, for question: DNSQuestion) {
    let answers = message.answers.filter { $0.recordClass == question.recordClass }
    var name = question.name
    while true {
      records = answers.filter { $0.type == question.type && $0.name == name }
      if !records.isEmpty { return }
      let alias = answers.first { $0.type == .cname && $0.name == name }
      guard case .name(let target) = alias?.value else { return }
      guard aliases < Self.aliasLimit else {
        isEndless = true
        return
      }
      aliases += 1
      name = target
    }
  }
}
