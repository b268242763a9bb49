// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Logging
import Monitoring

/// Posts for the public page while the agent runs, kept in the state directory.
actor PostDesk {
  private let file: KeptFile
  private let catalog: CheckCatalog
  private let log: Logger
  private let time: TimeSource
  private var book = PostBook()
  /// Loss of the posts of before the start, until something is posted again.
  private(set) var loss: Notice?
  private var generator = SystemRandomNumberGenerator()
  static let fileName = "posts.json"

  /// With the posts of before.
  init(restoring disk: StateDisk, _ catalog: CheckCatalog, log: Logger, time: TimeSource) async {
    file = disk.file(Self.fileName, maxBytes: 4 << 20)
    (self.catalog, self.log, self.time) = (catalog, log, time)
    await restore()
  }

  private func restore() async {
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return }
      guard let read = PostBook.read(bytes) else {
        return tellLoss("\(file.name) is damaged")
      }
      book = read
      book.advance(to: time.wall())
    } catch {
      tellLoss("\(error)")
    }
  }

  private func tellLoss(_ why: String) {
    let notice = Notice.warning(
      .byHand, "the posts of the public page are lost: \(why)",
      hint: "post them again with quartz-agent post; this problem ends with the next post", since: time.wall()
    )
    loss = notice
    log.tell(notice)
  }

  func take(_ wish: PostWish) async -> OperatorAnswer {
    let answer = book.take(
      wish, now: time.wall(), names: OperatorNames(catalog.checks), using: &generator)
    guard case .done(let words) = answer else { return answer }
    loss = nil
    log.notice("by hand: \(words)", metadata: ["by": "\(wish.by ?? "")"].filter { $0.value != "" })
    var json = JSONWriter(reserving: 4096)
    book.write(to: &json)
    do throws(StateFile.Failure) {
      try await file.write(json.bytes)
      return answer
    } catch {
      return .done("\(words); it is not saved yet and would be lost on restart: \(error)")
    }
  }

  /// Oldest first.
  var posts: [StatusPost] { book.posts }
}
