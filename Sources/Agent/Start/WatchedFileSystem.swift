// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool

/// The store's folder, with a watch over what is read in it.
struct WatchedFileSystem: WrappingFileSystem {
  let base: any SpoolFileSystem
  let watch: StartWatch

  func rename(_ name: String, to target: String) throws(FileFault) {
    try base.rename(name, to: target)
    guard target.hasPrefix("aside-"), let input = input(name), watch.isPoison(input) else { return }
    watch.wasPutAside(input, place: "spool/\(target)")
  }

  func reattached() throws(FileFault) -> any SpoolFileSystem {
    WatchedFileSystem(base: try base.reattached(), watch: watch)
  }

  func isPoison(_ name: String) -> Bool { input(name).map(watch.isPoison) ?? false }
  func begins(_ name: String) { if let input = input(name) { _ = watch.mayRead(input) } }
  func ended(_ name: String) { if let input = input(name) { watch.ended(input.name) } }

  /// A segment is known by its first number: each start may write its end again under a later generation.
  private func input(_ name: String) -> StartInput? {
    if name == "cursor" { return StartInput("spool/cursor") }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard name.hasSuffix(".seg"), parts.count == 3, parts[1] != "spare" else { return nil }
    return StartInput("spool/\(parts[0])-\(parts[1])")
  }
}
