// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// The verdict of the places of `confirm`: its words, its document, and what is delivered.
@Suite struct QuorumVerdictTests {
  private let places = [
    PlaceVerdict("rome", .down, .connectRefused), PlaceVerdict("paris", .down),
    PlaceVerdict("ny", .up, .ok), PlaceVerdict("oslo", .degraded, .responseTime, isSilent: true),
    PlaceVerdict("tokyo", .down, .dnsTimeout, isAlive: false), PlaceVerdict("lima", isSilent: true),
  ]

  private func result(_ verdict: Verdict) throws -> CheckResult {
    CheckResult(
      id: UniqueID(high: 1, low: 1), check: try MonitoringCheck(.http()), trigger: .schedule,
      scheduledAt: .epoch, startedAt: Timestamp(milliseconds: 40), late: .milliseconds(40), verdict: verdict)
  }

  @Test func placesInWords() {
    let words = [
      "rome connect_refused", "paris down", "ny up", "oslo degraded response_time (silent)", "tokyo gone",
      "lima says nothing",
    ]
    #expect(places.map(\.text) == words)
    #expect(PlaceVerdict("x", .unknown, .localFault).text == "x unknown local_fault")
    #expect(PlaceVerdict("x", .unknown).text == "x unknown")
    #expect(PlaceVerdict("x", .up, isAlive: false, isHeard: false).text == "x not heard")
    // A place that is gone has no vote.
    #expect(places.map(\.isDown) == [true, true, false, false, false, false])
  }

  /// Two of six are down, and five of six are alive.
  @Test func wordsOfEachOutcome() {
    let own = Verdict(.body, phase: .assertion, message: "no match")
    func message(_ outcome: QuorumVerdict.Outcome, _ places: [PlaceVerdict]? = nil) -> String? {
      QuorumVerdict(outcome, from: 3, places: places ?? self.places, own: own).message
    }
    let verdict = QuorumVerdict(.own, from: 3, places: places, own: own)
    #expect(verdict.down == 2 && verdict.alive == 5)
    #expect(message(.own) == "no match")
    #expect(
      message(.confirmed) == "no match; confirmed 2/6; ny up, oslo degraded response_time (silent), "
        + "tokyo gone, lima says nothing")
    #expect(message(.confirmed, Array(places.prefix(2))) == "no match; confirmed 2/2")
    #expect(message(.unconfirmed) == "no match; unconfirmed: 5 of 6 places alive; tokyo gone")
    #expect(
      message(.unconfirmed, places + [PlaceVerdict("x", isHeard: false)])
        == "no match; unconfirmed: the store of the places is out of reach")
    #expect(message(.regional, Array(places[1...2])) == "down in 1 of 2 places; paris down, ny up")
    #expect(
      message(.outvoted, Array(places.prefix(2)))
        == "down in 2 of 2 places, though not here; rome connect_refused, paris down")
  }

  @Test func document() {
    var json = JSONWriter()
    let own = Verdict(.connectTimeout, phase: .connect, message: "no answer")
    QuorumVerdict(
      .unconfirmed, from: 3,
      places: Array(places.prefix(1)) + [
        PlaceVerdict("lima", isAlive: false, isSilent: true, isHeard: false)
      ], own: own
    ).write(to: &json)
    #expect(
      json.text == #"{"by":1,"of":2,"from":3,"unconfirmed":true,"places":[{"place":"rome","state":"down","#
        + #""reason":"connect_refused","alive":true},{"place":"lima","alive":false,"heard":false,"#
        + #""silent":true}],"own":{"state":"down","reason":"connect_timeout","phase":"connect","#
        + #""message":"no answer"}}"#)
    for outcome in [QuorumVerdict.Outcome.own, .confirmed, .regional, .outvoted] {
      var json = JSONWriter()
      QuorumVerdict(outcome, from: 1, places: [], own: .ok).write(to: &json)
      #expect(json.text == #"{"by":0,"of":0,"from":1,"places":[],"own":{"state":"up","reason":"ok"}}"#)
    }
  }

  /// State and reason are the others' where they overrule this place; its own go out, with a flag.
  @Test(
    arguments: [
      (.own, .down, .body, false), (.confirmed, .down, .body, false), (.unconfirmed, .down, .body, false),
      (.regional, .degraded, .regional, true), (.outvoted, .down, .regional, true),
    ] as [(QuorumVerdict.Outcome, CheckState, Reason, Bool)])
  func settling(
    outcome: QuorumVerdict.Outcome, state: CheckState, reason: Reason, isOverruled: Bool
  ) throws {
    let own =
      outcome == .outvoted ? Verdict.ok : Verdict(.body, phase: .assertion, message: "no match")
    let verdict = QuorumVerdict(outcome, from: 2, places: places, own: own)
    let phase: Phase? = isOverruled ? nil : .assertion
    let flags: DeliveryRecord.Flags = isOverruled ? [.post, .overruled] : [.post]
    let settled = try result(own).settled(by: verdict)
    #expect(settled.state == state && settled.reason == reason && verdict.isOverruled == isOverruled)
    #expect(settled.phase == phase && settled.status == own.status)
    #expect(settled.message == verdict.message && settled.ownVerdict == own)
    let record = DeliveryRecord(settled, agent: "a", flags: .post)
    #expect(record.state == own.state && record.reason == own.reason && record.phase == own.phase)
    #expect(record.message == own.message && record.status == own.status)
    #expect(record.flags == flags)
    #expect(record.judged.state == state && record.judged.reason == reason)
    #expect(record.judged.phase == phase)
  }

  /// A result by itself is its own verdict, with what is not in its reason.
  @Test func ownVerdict() throws {
    for verdict in [
      Verdict(.responseTime, phase: .assertion, message: "slow", degraded: true),
      Verdict(.dnsTimeout, phase: .dns, message: "m", isUnknown: true),
      Verdict(.proxyConnect, phase: .proxy, message: "m", timedOut: true), Verdict(.body, phase: .assertion),
    ] {
      let own = try result(verdict).ownVerdict
      #expect(own.state == verdict.state && own.status == verdict.status)
      #expect(own.reason == verdict.reason && own.phase == verdict.phase && own.message == verdict.message)
    }
  }

  /// What is stored of a result, in its own fields.
  @Test func records() throws {
    var full = try result(Verdict(.httpStatus, phase: .assertion, message: "503"))
    (full.facts.statusCode, full.facts.responseTime) = (503, .milliseconds(12))
    full.facts.timings = Timings(connect: .milliseconds(3), total: .milliseconds(12))
    full.facts.tls = TLSFacts(
      verified: true, notAfter: Timestamp(seconds: 5), pathNotAfter: Timestamp(seconds: 4))
    var record = DeliveryRecord(full, agent: "london-1", flags: [.post, .traced])
    #expect(record.agent == "london-1" && record.statusCode == 503)
    #expect(record.responseTime == .milliseconds(12))
    #expect(record.timings == full.facts.timings && record.certificateNotAfter == Timestamp(seconds: 5))
    #expect(record.flags == [.post, .traced] && record.trigger == .schedule && record.status == .failure)
    #expect(record.late == .milliseconds(40) && record.sentID == record.id && record.isDeliverable)
    record.wireID = UniqueID(high: 2, low: 2)
    #expect(record.sentID == UniqueID(high: 2, low: 2) && record.id == UniqueID(high: 1, low: 1))
    record.state = .unknown
    #expect(!record.isDeliverable)
    (record.state, record.flags) = (.up, .maintenance)
    #expect(!record.isDeliverable)
    full.maintenance = true
    #expect(DeliveryRecord(full, agent: "a", flags: .post).flags == [.post, .maintenance])
    let flags: [DeliveryRecord.Flags] = [.post, .maintenance, .resubmitted, .traced, .overruled]
    #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
  }

  /// A reason that does not say so itself is a timeout where the attempt's time ran out.
  @Test func reasonsThatMayTimeOut() {
    for reason in Reason.allCases {
      let may = [.proxyConnect, .authToken].contains(reason)
      #expect(reason.mayTimeOut == may, "\(reason)")
      let status: ResultStatus = reason == .ok ? .success : may || reason.isTimeout ? .timeout : .failure
      #expect(Verdict(reason, timedOut: true).status == status, "\(reason)")
      #expect(Verdict(reason, degraded: true, timedOut: true).status == .success)
      #expect(reason.isAboutRedirect == [.httpRedirectRefused, .httpRedirectLimit].contains(reason))
      #expect(reason.isLocal == [.localFault, .policyDenied, .unsupported].contains(reason))
    }
  }

  /// A record has the phase that this place measured, also where that is none; without other places that of the result.
  @Test func thePhaseOfARecord() throws {
    var found = try result(Verdict(.body, phase: .assertion))
    func phase() -> Phase? { DeliveryRecord(found, agent: "a", flags: .post).phase }
    #expect(phase() == .assertion)
    found.confirmation = QuorumVerdict(.own, from: 1, places: [], own: Verdict(.body))
    #expect(phase() == nil)
    found.confirmation = QuorumVerdict(.own, from: 1, places: [], own: Verdict(.body, phase: .tls))
    #expect(phase() == .tls)
    found.phase = nil
    #expect(phase() == .tls)
  }
}
