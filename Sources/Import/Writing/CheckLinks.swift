// SPDX-License-Identifier: MIT

import Basics

/// Checks by the host and service that they were made of, and what they depend on, by the keys of checks. For one thread.
final class CheckLinks {
  private struct Place: Hashable {
    var host: ByteText
    /// `nil`: the check of the host itself.
    var service: ByteText?
  }

  /// Parents of a check that count, and a few more that are named.
  static let most = 70

  private var keys: [Place: Int] = [:]
  private var ofHost: [ByteText: [Int]] = [:]
  private var parents: [Int: [Int]] = [:]
  private var notes: [Int: [ImportNote]] = [:]
  private var noted: Set<Noted> = []

  private struct Noted: Hashable {
    var key: Int
    var note: ImportNote
  }

  func enter(_ check: ImportedCheck, host: String, service: String?) {
    keys[Place(host: ByteText(host), service: service.map { ByteText($0) })] = check.key
    ofHost[ByteText(host), default: []].append(check.key)
  }

  func key(host: String, service: String?) -> Int? {
    keys[Place(host: ByteText(host), service: service.map { ByteText($0) })]
  }

  /// The host's own check and those of its services.
  func keys(ofHost host: String) -> [Int] { ofHost[ByteText(host)] ?? [] }

  func depend(_ key: Int, on masters: [Int]) {
    guard parents[key]?.count ?? 0 < Self.most else { return }
    parents[key, default: []] += masters.prefix(Self.most)
  }

  func note(_ key: Int, _ change: ImportNote.Change, _ place: String, _ why: String) {
    let note = ImportNote(place: place, why: why, change: change)
    if noted.insert(Noted(key: key, note: note)).inserted { notes[key, default: []].append(note) }
  }

  /// Puts what was found into the checks.
  func finish(_ checks: inout [ImportedCheck]) {
    for index in checks.indices {
      checks[index].parents += parents[checks[index].key] ?? []
      checks[index].notes += notes[checks[index].key] ?? []
    }
  }
}
