// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A small file of state_dir whose reader is watched: over what two starts died it is put aside and not read again.
struct WatchedFile: DurableBytes {
  let file: any DurableBytes
  /// In state_dir.
  let name: String
  let watch: StartWatch

  func read() async throws(StateFile.Failure) -> [UInt8]? {
    guard let bytes = try await file.read() else { return nil }
    let input = StartInput(name, sum: fingerprint(of: bytes))
    let watch = watch
    if await onThread({ watch.mayRead(input) }) { return bytes }
    await onThread { _ = watch.putAside(input) }
    // Not nil: a count that is not known must not pass for a count of nothing.
    throw StateFile.Failure(description: "\(name) was put aside: \(StartJournal.Aside.crashed)")
  }

  func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
    try await file.write(bytes)
    guard name == StartJournal.checkList else { return }
    // From now on it is this one that the agent lives with.
    let (watch, input) = (watch, StartInput(name, sum: fingerprint(of: bytes)))
    await onThread { watch.uses(input) }
  }

  func understood() async {
    let (watch, name) = (watch, name)
    await onThread { watch.ended(name) }
  }

  func refusal(of bytes: [UInt8]) async -> String? {
    let (watch, input) = (watch, StartInput(name, sum: fingerprint(of: bytes)))
    guard let aside = await onThread({ watch.refusal(of: input) }) else { return nil }
    return "it is the list over which two starts of the agent died; a changed one is taken"
      + (aside.isFault ? "" : ", and this one after 10 minutes: they were killed from outside")
  }
}

/// Tells one content from another, whenever it was written: the time in it does not count.
func fingerprint(of bytes: [UInt8]) -> String {
  let mark = Array("\"pulled_at\":\"".utf8)
  var told = bytes[...]
  let head = bytes.prefix(1024)
  if let place = head.firstRange(of: mark) {
    // bounded: lists, parted at places that were found in them
    told = bytes[..<place.upperBound] + bytes[place.upperBound...].drop { $0 != UInt8(ascii: "\"") }
  }
  return String(CRC32C.checksum(Array(told)), radix: 16) + "-\(told.count)"
}
