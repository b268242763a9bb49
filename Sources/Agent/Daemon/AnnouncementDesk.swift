// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import History
import Logging
import Monitoring
import Status

/// Keeps when maintenance was announced on the public page, in the state directory.
actor AnnouncementDesk: AgentPart {
  private let base: AgentBase
  private let announce: Duration
  private let file: KeptFile
  private var book = Announcements()
  static let fileName = "announced.json"

  /// `nil` without a public page.
  init?(_ base: AgentBase) async {
    guard let face = base.settings.status.publicFace else { return nil }
    (self.base, announce) = (base, face.announce)
    file = base.outside.disk.file(Self.fileName, maxBytes: 2 << 20)
    await restore()
  }

  private func restore() async {
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return }
      guard let read = Announcements.read(bytes) else {
        base.log.warning("times of announcements are lost: \(file.name) is damaged")
        return
      }
      book = read
    } catch {
      base.log.warning("times of announcements are not known", metadata: ["problem": "\(error)"])
    }
  }

  nonisolated func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await self.run() }] }

  private func run() async {
    repeat { await look() } while (try? await base.time.sleep(for: base.outside.looks)) != nil
  }

  func look() async {
    guard book.look(base.maintenance.plan, announce: announce, now: base.time.wall()) else { return }
    var json = JSONWriter(reserving: 4096)
    book.write(to: &json)
    // A write that fails is made good by the file, which says so.
    try? await file.write(json.bytes)
  }

  func contribute(to snapshot: inout StatusSnapshot) { snapshot.announced = book.moments }
}
