// SPDX-License-Identifier: MIT

import Basics

/// Targets that stay in a file: an entry of `discover`, and the template that its checks are made of.
package struct ImportedDiscovery: Sendable {
  /// One that the file has at the time of import.
  package struct Target: Sendable {
    /// The check that it is without `discover`.
    package var check: ImportedCheck
    package var address: String
    /// Its labels.
    package var tags: [String]
  }

  /// Called as its checks are, with `${target}` for the address.
  package var entry: ImportedCheck
  package var template: ImportedCheck
  package var targets: [Target] = []
  /// The files by name, in the order of `targets`.
  package var files: [ImportFile] = []
  /// Values that are lost where the targets become checks.
  package var losses: [ImportNote] = []

  /// - Parameter sample: a check of any target, with the tags that all have.
  init(of sample: ImportedCheck, file: String) {
    entry = ImportedCheck(named: sample.name)
    entry["file"] = .text(file)
    template = ImportedCheck(named: sample.question?.module ?? "")
    template.keys = sample.keys
    template["url"] = .reference("${target}")
  }

  /// Notes on what further targets are.
  mutating func add(_ more: [ImportNote]) {
    entry.add(more)
    if !targets.isEmpty { targets[0].check.add(more.filter(\.isValue)) }
  }

  /// A target's check as the entry makes it.
  package func check(of target: Target) -> ImportedCheck {
    var check = target.check
    check.name = "\(template.name) \(target.address)"
    check.remove("tags")
    let tags = target.tags + template.tags
    if !tags.isEmpty { check["tags"] = .list(tags.map { .text($0) }) }
    return check
  }

  /// Gives the entries names by which no check of theirs is called as another check is.
  static func name(_ lists: inout [ImportedDiscovery], beside checks: [ImportedCheck]) {
    // An address has no space.
    var names = FreeNames(
      taken: Set(
        checks.compactMap { check in
          check.name.lastIndex(of: " ").map { ByteText(check.name[..<$0]) }
        }))
    for index in lists.indices {
      // The name is looked through for words twice.
      let stem = names.take(lists[index].template.name.replacing("$", with: "-"), maxBytes: 60)
      lists[index].template.name = stem
      lists[index].entry.name = "\(stem) ${target}"
      lists[index].entry["extends"] = .text(stem)
      lists[index].entry["name"] = .joined([.text("\(stem) "), .reference("${target}")])
    }
  }
}

extension ImportedCheck {
  /// Its tags.
  package var tags: [String] {
    guard case .list(let tags)? = self["tags"] else { return [] }
    return tags.compactMap(\.word)
  }

  /// Notes that it does not have yet; their values are counted where they are from.
  mutating func add(_ more: [ImportNote]) {
    var known = Set(notes.map(\.uncounted))
    for note in more where known.insert(note.uncounted).inserted { notes.append(note) }
  }
}

extension ImportNote {
  fileprivate var uncounted: ImportNote {
    ImportNote(place: place, why: why, change: change)
  }
}

extension AgentValue {
  func isSame(as other: AgentValue) -> Bool {
    switch (self, other) {
    case (.text(let left), .text(let right)), (.plain(let left), .plain(let right)),
      (.reference(let left), .reference(let right)):
      left == right
    case (.secret(let left, _), .secret(let right, _)): left == right
    case (.joined(let left), .joined(let right)), (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.map(let left), .map(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy { $0.name == $1.name && $0.value.isSame(as: $1.value) }
    default: false
    }
  }

  /// In a template a dollar inside a reference may be a word of the target, so that a list of targets chooses what is read.
  var mayNameMore: Bool {
    switch self {
    case .text, .secret: false
    case .plain(let word): word.contains("$")
    case .reference(let text): text.utf8.count { $0 == UInt8(ascii: "$") } != 1 || !text.contains("${file:")
    case .joined(let parts), .list(let parts): parts.contains(where: \.mayNameMore)
    case .map(let entries): entries.contains { $0.value.mayNameMore }
    }
  }
}
