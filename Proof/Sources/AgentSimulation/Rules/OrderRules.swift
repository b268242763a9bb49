// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// Orders by hand: one that was answered holds to its end, over every death of the process, and none holds that nobody gave.
/// Pure. By the wall clock, which is not set meanwhile.
struct OrderRules {
  /// A mute, or a window of maintenance.
  struct Order {
    let id: UniqueID
    let target: OperatorTarget
    let isMute: Bool
    /// When it was answered.
    let from: Timestamp
    let until: Timestamp
    /// On the disk, as the answer said.
    var isKept: Bool
    /// When it was asked to be lifted, and whether that is on the disk.
    var lifted: Timestamp?
    var isLiftKept = false
  }

  /// People know of an incident.
  struct Acknowledgement {
    let at: Timestamp
    /// What it certainly covers.
    let covered: Set<UniqueID>
    var isKept: Bool
  }

  private struct Asked {
    let wish: OperatorWish
    let at: Timestamp
    /// What has been told of the incident and failed when it was asked for.
    var covered: Set<UniqueID> = []
  }

  private(set) var orders: [Order] = []
  private(set) var acknowledgements: [UniqueID: Acknowledgement] = [:]
  private var asked: [Int: Asked] = [:]
  private var last = 0

  mutating func ask(_ wish: OperatorWish, at now: Timestamp, covered: Set<UniqueID> = []) -> Int {
    last += 1
    asked[last] = Asked(wish: wish, at: now, covered: covered)
    // From now on it may be lifted.
    if let place = place(liftedBy: wish, now) { orders[place].lifted = now }
    return last
  }

  private func place(liftedBy wish: OperatorWish, _ now: Timestamp) -> Int? {
    switch wish.kind {
    case .unmute(let word):
      orders.firstIndex { $0.isMute && $0.target.text == word && $0.lifted == nil && $0.until > now }
    case .endMaintenance(let word):
      orders.firstIndex { !$0.isMute && $0.target.text == word && $0.lifted == nil && $0.until > now }
    default: nil
    }
  }

  /// - Parameter book: as the agent has it.
  mutating func answer(
    _ number: Int, _ answer: OperatorAnswer, _ book: HandBook, at now: Timestamp
  ) -> Violation.Found? {
    guard let asked = asked.removeValue(forKey: number) else { return nil }
    guard case .done(let words) = answer else { return refused(asked, now) }
    let isKept = !words.contains("not saved yet")
    switch asked.wish.kind {
    case .acknowledge(let word):
      guard let incident = UniqueID(word) else { return nil }
      acknowledgements[incident] = Acknowledgement(at: now, covered: asked.covered, isKept: isKept)
    case .mute(let target, let length): return begun(target, length, true, asked, book, isKept, now)
    case .startMaintenance(let target, let length, _):
      return begun(target, length, false, asked, book, isKept, now)
    case .unmute(let word): return ended(word, true, book, isKept)
    case .endMaintenance(let word): return ended(word, false, book, isKept)
    }
    return nil
  }

  /// What was to be lifted may have ended by itself; anything else that is refused is not as if it had been asked for.
  private mutating func refused(_ asked: Asked, _ now: Timestamp) -> Violation.Found? {
    switch asked.wish.kind {
    case .unmute(let word), .endMaintenance(let word):
      for place in orders.indices where orders[place].lifted == asked.at && orders[place].target.text == word
      {
        orders[place].lifted = nil
        if orders[place].until > now.advanced(by: .seconds(1)) {
          return (.orders, "\(word) is to be lifted, and the agent knows of no such order")
        }
      }
    default: break
    }
    return nil
  }

  private mutating func begun(
    _ target: OperatorTarget, _ length: Duration, _ isMute: Bool, _ asked: Asked, _ book: HandBook,
    _ isKept: Bool, _ now: Timestamp
  ) -> Violation.Found? {
    let known = Set(orders.map(\.id))
    let made = (isMute ? book.mutes : book.windows).first { $0.target == target && !known.contains($0.id) }
    guard let made else {
      return now < asked.at.advanced(by: length)
        ? (.orders, "\(target.text) is ordered, and the agent does not have the order") : nil
    }
    guard made.until == made.from.advanced(by: length), made.from >= asked.at, made.from <= now else {
      return (.orders, "the order for \(target.text) holds from \(made.from) until \(made.until)")
    }
    orders.append(
      Order(id: made.id, target: target, isMute: isMute, from: now, until: made.until, isKept: isKept))
    return nil
  }

  private mutating func ended(
    _ word: String, _ isMute: Bool, _ book: HandBook, _ isKept: Bool
  ) -> Violation.Found? {
    for place in orders.indices
    where orders[place].isMute == isMute && orders[place].target.text == word && orders[place].lifted != nil {
      orders[place].isLiftKept = orders[place].isLiftKept || isKept
    }
    let list = isMute ? book.mutes : book.windows
    return list.contains { $0.target.text == word }
      ? (.orders, "\(word) was lifted, and the order holds on") : nil
  }

  /// The process died.
  mutating func died() {
    acknowledgements = acknowledgements.filter(\.value.isKept)
  }

  /// The next one has read what it knows.
  mutating func restored(_ book: HandBook, at now: Timestamp) -> Violation.Found? {
    var found: Violation.Found?
    for (isMute, list) in [(true, book.mutes), (false, book.windows)] {
      let there = Set(list.map(\.id))
      for place in orders.indices where orders[place].isMute == isMute {
        let order = orders[place]
        if there.contains(order.id) {
          if order.lifted != nil, order.isLiftKept {
            found = (.orders, "the order for \(order.target.text) is back although it was lifted")
          }
          (orders[place].isKept, orders[place].lifted) = (true, nil)
        } else if order.isKept, order.lifted == nil, order.until > now.advanced(by: .seconds(1)) {
          found = (
            .orders, "the order for \(order.target.text) until \(order.until) was answered, and is lost"
          )
        }
      }
      orders.removeAll { $0.isMute == isMute && !$0.isKept && !there.contains($0.id) }
      for order in list { found = found ?? adopt(order, isMute, now) }
    }
    asked = [:]
    return found
  }

  /// One whose answer never came.
  private mutating func adopt(_ order: HandBook.Order, _ isMute: Bool, _ now: Timestamp) -> Violation.Found? {
    if orders.contains(where: { $0.id == order.id }) { return nil }
    let wasAsked = asked.values.contains { asked in
      switch asked.wish.kind {
      case .mute(let target, _): isMute && target == order.target
      case .startMaintenance(let target, _, _): !isMute && target == order.target
      default: false
      }
    }
    guard wasAsked else { return (.orders, "nobody has given the order for \(order.target.text)") }
    orders.append(
      Order(
        id: order.id, target: order.target, isMute: isMute, from: now, until: order.until, isKept: true))
    return nil
  }

  /// The agent lives: what it has is what it was told.
  func judge(_ book: HandBook, at now: Timestamp) -> Violation.Found? {
    for (isMute, list) in [(true, book.mutes), (false, book.windows)] {
      let there = Set(list.map(\.id))
      for order in orders
      where order.isMute == isMute && order.lifted == nil && order.until > now.advanced(by: .seconds(1)) {
        if !there.contains(order.id) {
          return (.orders, "the order for \(order.target.text) until \(order.until) holds no more")
        }
      }
    }
    return nil
  }

  /// Whether a result says that it is from a window that was opened by hand.
  func judge(
    _ result: CheckResult, _ check: MonitoringCheck, endedAt end: Timestamp, isStepped: Bool
  ) -> Violation.Found? {
    guard !isStepped, !result.maintenance else { return nil }
    let window = orders.first { order in
      !order.isMute && order.from < result.scheduledAt && end < (order.lifted ?? order.until)
        && order.target.selection.contains(check)
    }
    guard let window else { return nil }
    return (.orders, "\(check.name) says nothing of the maintenance until \(window.until)")
  }

  mutating func forget(before now: Timestamp) {
    orders.removeAll { ($0.lifted ?? $0.until) < now.advanced(by: .seconds(-7200)) }
  }

  /// Whether there is one for the same target already, or it is being asked for.
  func hasOne(like wish: OperatorWish, at now: Timestamp) -> Bool {
    let (target, isMute): (OperatorTarget, Bool)
    switch wish.kind {
    case .mute(let other, _): (target, isMute) = (other, true)
    case .startMaintenance(let other, _, _): (target, isMute) = (other, false)
    case .acknowledge, .unmute, .endMaintenance: return false
    }
    let isAsked = asked.values.contains { $0.wish.kind.target == target }
    return isAsked
      || orders.contains {
        $0.target == target && $0.isMute == isMute && $0.until.advanced(by: .seconds(60)) > now
      }
  }

  /// It is over, as people were told.
  mutating func isOver(_ incident: UniqueID) { acknowledgements[incident] = nil }

  /// Whether a check is certainly muted at an instant.
  func isMuted(_ check: MonitoringCheck, at instant: Timestamp) -> Bool {
    orders.contains { order in
      order.isMute && order.from < instant && instant < (order.lifted ?? order.until)
        && order.target.selection.contains(check)
    }
  }

  /// Whether an order may hold the check's notification at any time of this stretch.
  func mayHold(_ check: MonitoringCheck, from: Timestamp, through to: Timestamp) -> Bool {
    orders.contains { order in
      // One that was lifted without a word on the disk may be back.
      let end = order.isLiftKept ? order.lifted ?? order.until : order.until
      return order.from.advanced(by: .seconds(-5)) <= to && from <= end.advanced(by: .seconds(1))
        && order.target.selection.contains(check)
    }
      || asked.values.contains { asked in
        switch asked.wish.kind {
        case .mute(let target, _), .startMaintenance(let target, _, _): target.selection.contains(check)
        default: false
        }
      }
  }
}

extension OperatorWish.Kind {
  /// Of what begins.
  fileprivate var target: OperatorTarget? {
    switch self {
    case .mute(let target, _), .startMaintenance(let target, _, _): target
    case .acknowledge, .unmute, .endMaintenance: nil
    }
  }
}
