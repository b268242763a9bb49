// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The notifier's smaller parts by themselves: outcomes for some recipients, rests, and what is let go of.
@Suite struct NotifierTableTests {
  private let id = UniqueID(high: 9, low: 9)

  private func sending(_ refused: String?, isTaken: Bool, all: Bool = false) -> NotificationRecord.Sending {
    var sending = NotificationRecord.Sending(
      id: id, kind: .opened, heard: Heard(), recipients: all ? nil : ["b@x.example"])
    (sending.refused, sending.isTaken) = (refused, isTaken)
    return sending
  }

  /// An outcome for the recipients that were left is one for all of them.
  @Test func outcomesOfSeveralAttempts() {
    let (taken, said) = (sending("a", isTaken: true), sending("a", isTaken: false))
    let none = sending(nil, isTaken: false)
    for outcome in [SendOutcome.delivered, .refused("b"), .failed("b"), .deliveredBut("b")] {
      #expect(outcome.joined(to: nil) == outcome)
      #expect(outcome.joined(to: sending("a", isTaken: true, all: true)) == outcome)
    }
    #expect(SendOutcome.delivered.joined(to: none) == .delivered)
    #expect(SendOutcome.delivered.joined(to: said) == .deliveredBut("a"))
    #expect(SendOutcome.deliveredBut("b").joined(to: said) == .deliveredBut("a; b"))
    #expect(SendOutcome.deliveredBut("b").joined(to: none) == .deliveredBut("b"))
    #expect(SendOutcome.refused("b").joined(to: taken) == .deliveredBut("a; b"))
    #expect(SendOutcome.refused("b").joined(to: said) == .refused("a; b"))
    #expect(SendOutcome.failed("b").joined(to: taken) == .failed("b"))
    func partly(_ refused: String?, _ isTaken: Bool) -> SendOutcome {
      .partly("w", remaining: ["c"], refused: refused, isTaken: isTaken)
    }
    #expect(partly(nil, false).joined(to: said) == partly("a", false))
    #expect(partly("b", false).joined(to: said) == partly("a; b", false))
    #expect(partly(nil, true).joined(to: none) == partly(nil, true))
    #expect(partly(nil, false).joined(to: taken) == partly("a", true))
    let long = SendOutcome.refused(String(repeating: "x", count: 1500)).joined(to: said)
    guard case .refused(let words) = long else { return #expect(Bool(false)) }
    #expect(words.utf8.count == 1000 && words.hasPrefix("a; x"))
    let delivered: [SendOutcome] = [.delivered, .deliveredBut("x")]
    #expect(delivered.map(\.isDelivered) == [true, true])
    let others: [SendOutcome] = [.failed("x"), .refused("x"), partly(nil, true)]
    #expect(others.map(\.isDelivered) == [false, false, false])
  }

  private func incident(_ number: UInt64, members: Int = 1) -> Incident {
    var incident = Incident(
      id: UniqueID(high: 5, low: number), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    for place in 0..<members {
      let key = Trouble.Key(rule: "r\(100 + place)", check: UniqueID(high: 0, low: number))
      incident.take(
        Trouble(key: key, subject: .availability, severity: .high, name: "c", since: after(0)),
        at: reading(0))
    }
    return incident
  }

  /// Twice as many as are known, and a hundred more, before those that are gone are looked for.
  @Test(arguments: [(100, 0, true), (101, 0, false), (102, 1, true), (103, 1, false)])
  func rests(count: Int, known: Int, isKept: Bool) {
    let incidents = (0..<count).map { incident(UInt64($0)) }
    var rests = Rests()
    for incident in incidents { rests.add(incident, until: reading(10).boot) }
    rests.trim(to: Array(incidents.prefix(known)))
    let held = incidents.map { rests.hold($0, at: reading(9).boot) }
    #expect(held == incidents.indices.map { isKept || $0 < known })
    #expect(!rests.hold(incidents[0], at: reading(10).boot))
    var changed = incidents[0]
    changed.acknowledge(by: "ann", note: nil, at: after(1))
    #expect(!rests.hold(changed, at: reading(9).boot))
  }

  /// What is over lets go of the members beyond fifty, once no channel waits for it; nothing else is a
  /// change.
  @Test func membersOfWhatIsOver() {
    func book(_ members: [Int]) -> IncidentBook {
      var book = IncidentBook(groupWait: .seconds(15), generator: Counter())
      for (number, count) in members.enumerated() {
        for place in 0..<count {
          let key = Trouble.Key(rule: "r\(100 + place)", part: "\(number)")
          let subject = AlertSubject.allCases[number]
          book.take(
            .holds(Trouble(key: key, subject: subject, severity: .high, name: "c", since: after(0))),
            now: reading(0))
          book.take(.ended(key, at: after(1), .recovered), now: reading(1))
        }
      }
      book.advance(to: reading(60).boot)
      return book
    }
    var short = book([50, 3])
    let version = short.version
    #expect(short.over.count == 2 && !short.needsForgetting)
    short.forget { _ in true }
    #expect(short.version == version && short.over.map(\.members.count).sorted() == [3, 50])
    var long = book([51, 51])
    let before = long.version
    let first = long.over.first?.id
    #expect(long.needsForgetting)
    long.forget { _ in false }
    #expect(long.version == before && long.over.map(\.members.count) == [51, 51])
    long.forget { $0.id == first }
    #expect(long.version != before && long.over.map(\.members.count) == [50, 51] && long.needsForgetting)
    #expect(long.over.first?.members.last?.trouble.key.rule == "r149")
  }

  private let ops = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))

  /// Why what a storm or a digest tells of is not told yet.
  @Test func reasons() {
    var notifier = Notifier(quickSettings(), now: after(0))
    let context = NotifyContext(now: reading(10), settings: quickSettings())
    func reason(_ fold: StageRuling.Fold) -> String {
      let (words, until) = notifier.reason(of: fold, to: ops, context)
      return "\(words)|\(until.map { "\(after(0).duration(to: $0).seconds)" } ?? "-")"
    }
    #expect(reason(.storm) == "in the notification of a storm|-")
    #expect(reason(.digest) == "in the digest that is due|-")
    var storm = Storm(id: id, begin: after(0), at: reading(0).boot)
    storm.lastAt = reading(1).boot
    notifier.states["ops"]?.storm = storm
    #expect(reason(.storm) == "in the notification of a storm|11.0")
    #expect(reason(.digest) == "in the digest that is due|-")
    notifier.states["ops"]?.storm?.lastAt = reading(0).boot
    #expect(reason(.storm) == "in the notification of a storm|-")
    notifier.states["ops"]?.retryAt = reading(12).boot
    let failed = "the last attempt failed: no answer|12.0"
    #expect(reason(.storm) == "in the notification of a storm; \(failed)")
    notifier.states["ops"]?.problem = "deaf"
    #expect(reason(.digest) == "in the digest that is due; the last attempt failed: deaf|12.0")
    notifier.states["ops"]?.retryAt = reading(10).boot
    #expect(reason(.digest) == "in the digest that is due|-")
  }

  /// A storm is looked at again when its next notification may be due, and not before.
  @Test func restsOfAStorm() {
    let settings = quickSettings()
    var storm = Storm(id: id, begin: after(0), at: reading(0).boot)
    let firing = (0..<11).map { incident(UInt64($0)) }
    let quiet = firing.map { incident in
      var well = incident
      for member in incident.members { well.leave(member.trouble.key, at: reading(2), .recovered) }
      return well
    }
    let forgetful = makeWebhook("am", .alertmanager)
    #expect(storm.restsUntil(firing, ops, settings) == reading(3).boot)
    #expect(storm.restsUntil([], ops, settings) == nil)
    storm.lastAt = reading(5).boot
    #expect(storm.restsUntil(quiet, ops, settings) == nil)
    #expect(storm.restsUntil(quiet, forgetful, settings) == reading(15).boot)
    #expect(storm.restsUntil(firing, ops, settings) == reading(15).boot, "it has not heard of them")
    storm.heard = Dictionary(uniqueKeysWithValues: firing.map { ($0.id, false) })
    #expect(storm.restsUntil(firing, ops, settings) == reading(65).boot)
    #expect(storm.restsUntil(firing, forgetful, settings) == reading(245).boot)
    #expect(storm.restsUntil(Array(firing.prefix(10)), ops, settings) == reading(15).boot)
  }
}
