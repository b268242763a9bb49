// SPDX-License-Identifier: MIT

import Basics

/// Files of targets that a job names by one pattern.
struct TargetFile {
  typealias Made = (wish: ProbeWish, check: ImportedCheck)

  /// Addresses that a file may have another time: of each scheme, a name and an address.
  static let samples = ["https://a.example/b?c=d", "http://192.0.2.1:8080"]
  /// Entries of `discover` that agent.yaml takes.
  static let most = 32
  /// Labels of a target that become tags, and the bytes of a tag there.
  private static let limits = (labels: 16, tagBytes: 64)
  private static let readOnce = "its targets are those of the time of import: the file is read once"

  let groups: [ForeignNode]
  /// Wishes of the job for `TargetFile.samples`; empty: its rules look at more than the address.
  let samples: [ProbeWish]
  private let pattern: ForeignNode
  private let discovery: Section
  private let files: [ImportFile]

  init(
    _ pattern: ForeignNode, _ discovery: Section, _ found: [(file: ImportFile, groups: [ForeignNode])],
    _ samples: [ProbeWish]
  ) {
    (self.pattern, self.discovery, self.samples) = (pattern, discovery, samples)
    (files, groups) = (found.map(\.file), found.flatMap(\.groups))
  }

  /// The checks of its targets as one entry of `discover`. `nil`: they are not alike, or a target of another time could be
  /// checked in another way.
  ///
  /// - Parameter samples: the checks of `samples`.
  func folded(_ made: [Made], _ samples: [ImportedCheck]) -> ImportedDiscovery? {
    guard let path = pattern.text, let sample = samples.first, samples.count == Self.samples.count,
      made.count == groups.reduce(0, { $0 + ($1["targets"]?.items?.count ?? 0) })
    else { return nil }
    let given = zip(samples, Self.samples)
    guard given.allSatisfy({ isAlike($0, sample, to: $1, []) }),
      made.allSatisfy({ isAlike($0.check, sample, to: $0.wish.source.text ?? "", $0.wish.list?.labels ?? []) }
      )
    else { return nil }
    let addresses = Set(made.map { ByteText($0.wish.target) })
    guard addresses.count == made.count, !sample.keys.contains(where: { $0.value.mayNameMore }) else {
      return nil
    }
    var entry = ImportedDiscovery(of: sample, file: path)
    entry.files = files
    entry.targets = made.map { item in
      let tags = (item.wish.list?.labels ?? []).map { "\($0.name):\($0.value)" }
      return ImportedDiscovery.Target(check: item.check, address: item.wish.target, tags: tags)
    }
    entry.entry.add(made.flatMap(\.check.notes))
    note(&entry, path)
    return entry
  }

  private func note(_ entry: inout ImportedDiscovery, _ path: String) {
    let place = discovery.ledger.place(pattern)
    entry.entry.note(
      .changed, place, "a target without http:// or https:// is left out here, and asked for by http there")
    if !path.hasPrefix("/") {
      entry.entry.note(
        .changed, place, "the file is looked for beside agent.yaml, not beside Prometheus' configuration")
    }
    entry.losses = [ImportNote(place: place, why: Self.readOnce, isValue: true)]
    if let refresh = discovery["refresh_interval"] {
      entry.losses.append(
        ImportNote(place: discovery.ledger.place(refresh), why: Self.readOnce, isValue: true))
    }
  }

  /// A check differs from the sample by its address and the tags of its labels alone.
  private func isAlike(
    _ check: ImportedCheck, _ sample: ImportedCheck, to address: String,
    _ labels: [(name: String, value: String)]
  ) -> Bool {
    guard case .text(let url)? = check["url"], url == address, Self.isURL(url),
      check.question?.module == sample.question?.module
    else { return false }
    let left = check.keys.filter { !["url", "tags"].contains($0.name) }
    let right = sample.keys.filter { !["url", "tags"].contains($0.name) }
    guard AgentValue.map(left).isSame(as: .map(right)) else { return false }
    guard labels.count <= Self.limits.labels, labels.allSatisfy({ Self.isTag($0.name, $0.value) }) else {
      return false
    }
    let tags = Set(check.tags.map { ByteText($0) })
    let common = Set(sample.tags.map { ByteText($0) })
    let own = Set(labels.map { ByteText(ImportedCheck.tag(of: "\($0.name):\($0.value)")) })
    return common.isDisjoint(with: own) && own.count == labels.count && tags == common.union(own)
  }

  /// A label is the tag of the same words here.
  private static func isTag(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && !value.isEmpty && !name.hasPrefix("__")
      && name.utf8.count + 1 + value.utf8.count <= limits.tagBytes
      && (!value.contains("://") || ForeignURL.withoutUser(value) == value)
      && !["job", "instance"].contains(name) && !name.contains("$") && !value.contains("$")
      && !name.hasControlCharacter && !value.hasControlCharacter
  }

  private static func isURL(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "$") } && text.utf8.count <= 1024
      && (try? HTTPURL(text)) != nil
  }

  /// The targets became checks.
  func listAsFixed() {
    discovery.ledger.list(pattern, Self.readOnce)
    discovery.ledger.list(discovery["refresh_interval"], Self.readOnce)
  }
}
