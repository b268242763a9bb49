// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring

/// The lists of all sources of `discover` in the state directory, and their index.
struct DiscoveredLists: Sendable {
  let disk: StateDisk

  /// Gives a source that replaces another of its item the list of that one, until its first answer and under the guard. Removes
  /// lists without use.
  ///
  /// - Returns: by the names of the lists.
  func prepare(_ sources: [DiscoverySource]) async -> [String: DiscoveredList] {  // own text: names of files
    let file = disk.file(DiscoveryIndex.name)
    let index = DiscoveryIndex(json: await bytes(of: file) ?? [])
    var names = await lists(of: sources, index)
    var lists: [String: DiscoveredList] = [:]  // own text: names of files
    for name in sources.compactMap(\.cacheName) where lists[name] == nil {
      let list = DiscoveredList(self.file(name))
      lists[name] = list
      guard let earlier = names[name], earlier != name, let bytes = await bytes(of: self.file(earlier)) else {
        continue
      }
      if await list.begin(with: bytes) { names[name] = name }
    }
    let new = DiscoveryIndex(of: sources, lists: names)
    let wanted = Set(lists.keys).union(new.entries.map(\.list)).union([DiscoveryIndex.name])
    await onThread { [disk] in DiscoveredList.tidy(in: disk.folder, wanted: wanted) }
    // The `StateDisk` reports a failure.
    if new != index { try? await file.write(new.json) }
    return lists
  }

  /// The list that each source has, or begins with.
  private func lists(
    of sources: [DiscoverySource], _ index: DiscoveryIndex
  ) async -> [String: String] {  // own text: names of files
    var there: Set<String> = []  // own text: names of files
    for name in Set(sources.compactMap(\.cacheName) + index.entries.map(\.list)) {
      if await bytes(of: file(name)) != nil { there.insert(name) }
    }
    return index.lists(of: sources) { there.contains($0) }
  }

  private func file(_ name: String) -> KeptFile { disk.file(name, maxBytes: DiscoverySource.mostBytes) }

  private func bytes(of file: KeptFile) async -> [UInt8]? { (try? await file.read()).flatMap(\.self) }
}
