// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Logging
import Monitoring
import Status

/// Orders by hand while the agent runs: mutes, maintenance, acknowledgements; kept in the state directory with a log of
/// their authors.
actor OperatorDesk {
  private let file: KeptFile
  private let catalog: CheckCatalog
  private let maintenance: MaintenanceBook
  private let alerts: AlertDesk?
  private let log: Logger
  private let time: TimeSource
  private var book = HandBook()
  private let orders: OrdersInForce
  /// Loss of what was ordered before the start, until an order is given again.
  private(set) var loss: Notice?
  private var generator = SystemRandomNumberGenerator()
  /// Between two looks.
  private let pace: Duration
  static let every: Duration = .seconds(1)
  static let fileName = "by-hand.json"

  /// With what was in force when the agent ended.
  ///
  /// - Parameter orders: told what holds.
  init(
    restoring disk: StateDisk, _ catalog: CheckCatalog, _ maintenance: MaintenanceBook, alerts: AlertDesk?,
    orders: OrdersInForce? = nil, pace: Duration = OperatorDesk.every, log: Logger, time: TimeSource
  ) async {
    file = disk.file(Self.fileName, maxBytes: 4 << 20)
    (self.catalog, self.maintenance, self.alerts) = (catalog, maintenance, alerts)
    (self.log, self.time, self.pace) = (log, time, pace)
    self.orders = orders ?? OrdersInForce(time: time)
    await restore()
  }

  private func restore() async {
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return }
      guard let read = HandBook.read(bytes) else {
        return tellLoss("\(file.name) is damaged")
      }
      book = read
      let now = time.reading()
      _ = book.advance(to: now.wall)
      _ = book.follow(now)
      announce()
    } catch {
      tellLoss("\(error)")
    }
  }

  private func tellLoss(_ why: String) {
    let notice = Notice.warning(
      .byHand, "mutes, maintenance windows and acknowledgements by hand are lost: \(why)",
      hint:
        "repeat them with quartz-agent mute, maintenance and ack; this problem clears with the next one",
      since: time.wall())
    loss = notice
    log.tell(notice)
  }

  /// Ends what is over, and writes down what people acknowledge elsewhere, until the task is cancelled.
  func run() async {
    repeat {
      await noteTaken()
      let now = time.reading()
      let (isMoved, isRenamed) = (book.follow(now), book.follow { catalog[$0]?.name })
      if book.advance(to: now.wall) || isMoved || isRenamed {
        announce()
        // A failure is told by the disk.
        try? await save()
      }
    } while (try? await time.sleep(for: pace)) != nil
  }

  /// Acknowledgements of the Quartz apps, which the incidents have already: with the words and the audit of those made here.
  func noteTaken() async {
    guard let alerts else { return }
    let taken = alerts.drainTaken()
    guard !taken.isEmpty else { return }
    for one in taken {
      book.noteAcknowledged(one.incident, by: one.by, why: one.note, now: time.wall())
      tellByHand(one.words, by: one.by, why: one.note)
    }
    announce()
    // Failures are told by the disk.
    _ = await alerts.kept()
    try? await save()
  }

  private func tellByHand(_ words: String, by: String?, why: String?) {
    log.notice(
      "by hand: \(words)",
      metadata: ["by": "\(by ?? "")", "why": "\(why ?? "")"].filter { $0.value != "" })
  }

  func take(_ wish: OperatorWish) async -> OperatorAnswer {
    var wish = wish
    if case .acknowledge(let word) = wish.kind {
      guard let alerts else {
        return .refused("there are no incidents: agent.yaml has no section alerts")
      }
      guard let incident = alerts.acknowledge(word, by: wish.by ?? "an operator", note: wish.why) else {
        return .notFound(
          "no open incident, or more than one, is called \(quoted(word))", hint: alerts.openNames)
      }
      wish.kind = .acknowledge(incident: incident.short)
    }
    _ = book.follow(time.reading())
    let answer = book.take(
      wish, now: time.wall(), names: OperatorNames(catalog.checks), using: &generator)
    guard case .done(var words) = answer else { return answer }
    loss = nil
    announce()
    tellByHand(words, by: wish.by, why: wish.why)
    if let limit = alerts?.limit(of: wish.kind) { words += "; \(limit)" }
    do throws(StateFile.Failure) {
      // Both are tried, also where one fails.
      let kept: Result<Void, StateFile.Failure>? =
        if case .acknowledge = wish.kind { await alerts?.kept() } else { nil }
      try await save()
      try kept?.get()
      return .done(words)
    } catch {
      // Refusing it would page people because a disk is full.
      return .done("\(words); it is not saved yet and would be lost on restart: \(error)")
    }
  }

  /// Passes the orders to their followers.
  private func announce() {
    maintenance.replace(hand: book.windows.map(\.window))
    orders.replace(book)
  }

  private func save() async throws(StateFile.Failure) {
    var json = JSONWriter(reserving: 4096)
    book.write(to: &json)
    try await file.write(json.bytes)
  }

  /// As of the last change, by the wall clock as it shows now.
  nonisolated var current: HandBook { orders.current }
}
