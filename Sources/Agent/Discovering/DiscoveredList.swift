// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Glibc
import Monitoring

/// The target list of one `discover` source, kept in the state directory, from which the configuration is read.
actor DiscoveredList {
  enum Outcome: Hashable, Sendable {
    case same
    /// A changed list is saved, or will be once the disk accepts it.
    case other
    /// The previous list is kept, for this reason.
    case refused(String)
  }

  static let folder = "discovered"

  private let file: KeptFile
  private var listGuard: ListGuard<ByteText>?

  init(_ file: KeptFile) { self.file = file }

  /// Begins with the list of the source that this one replaces.
  ///
  /// - Returns: false where the disk did not accept it; the guard knows it all the same.
  func begin(with bytes: [UInt8]) async -> Bool {
    listGuard = ListGuard(current: Self.addresses(bytes), of: "targets")
    return (try? await file.write(bytes)) != nil
  }

  /// Whether there is a list, of an earlier process or source too.
  func isKnown() async -> Bool {
    if listGuard != nil { return true }
    return (try? await file.read()).flatMap(\.self) != nil
  }

  func take(_ list: TargetList, at now: Timestamp) async -> Outcome {
    let bytes = list.json
    guard bytes.count <= DiscoverySource.mostBytes else {
      return .refused("the list is longer than \(DiscoverySource.mostBytes >> 20) MiB")
    }
    let kept = try? await file.read()
    var judge = listGuard ?? ListGuard(current: kept.flatMap(Self.addresses), of: "targets")
    let decision = judge.judge(Set(list.targets.map { ByteText($0.address) }), at: now)
    listGuard = judge
    if case .hold(let why) = decision { return .refused(why) }
    if let kept, kept == bytes { return .same }
    // The `StateDisk` reports a failure.
    try? await file.write(bytes)
    return .other
  }

  private static func addresses(_ bytes: [UInt8]) -> Set<ByteText>? {
    (try? TargetList(json: bytes)).map { Set($0.targets.map { ByteText($0.address) }) }
  }
}

extension DiscoveredList {
  /// Lists kept for sources that were removed from the configuration and may return.
  static let mostUnwanted = 8

  /// Creates the directory and removes the oldest lists of removed sources. Blocks.
  static func tidy(in stateDir: String, wanted: Set<String>) {  // own text: names of files
    let place = "\(stateDir)/\(folder)"
    guard mkdir(place, 0o750) != 0 else { return }
    let unwanted = fileNames(in: place).filter { name in
      (name.hasSuffix(".json") || name.hasSuffix(".json.new")) && !wanted.contains("\(folder)/\(name)")
    }
    var aged: [(name: String, changed: Int)] = []
    for name in unwanted {
      if let changed = OwnFile.changed("\(place)/\(name)") { aged.append((name, changed)) }
    }
    aged.sort { ($1.changed, $0.name) < ($0.changed, $1.name) }
    for (name, _) in aged.dropFirst(mostUnwanted) { unlink("\(place)/\(name)") }
  }
}
