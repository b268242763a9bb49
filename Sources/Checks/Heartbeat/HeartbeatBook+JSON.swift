// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// The file `heartbeats.json` of state_dir: instants are written as the wall clock has them, which is all that means
// anything after the next start.
extension HeartbeatBook {
  package func encoded(now: ClockReading) -> [UInt8] {
    var json = JSONWriter(reserving: 4096)
    json.object { json in
      json.field("version", 1)
      json.field("saved", now.wall)
      json.key("checks")
      json.array { json in
        for (id, page) in pages.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            json.field("id", id.description)
            page.write(&json, now)
          }
        }
      }
    }
    return json.bytes
  }

  /// `nil` when it is no file of ours. Of what cannot be, such as a report in times to come, it is taken that it was now.
  package init?(_ bytes: [UInt8], now: ClockReading) {
    guard let json = try? JSONValue.parse(bytes), json["version"]?.integer == 1,
      let items = json["checks"]?.array
    else { return nil }
    var pages: [UniqueID: Page] = [:]
    for item in items {
      guard let id = item["id"]?.uniqueID, let page = Page(item, now) else {
        continue
      }
      pages[id] = page
    }
    let saved = json["saved"]?.timestamp
    self.init(pages: pages, savedAt: saved.map { now.instant(of: $0) })
  }
}

extension HeartbeatBook.Page {
  fileprivate func write(_ json: inout JSONWriter, _ now: ClockReading) {
    json.field("since", now.wall(of: since))
    if let last { json.field("last", now.wall(of: last)) }
    if let started { json.field("started", now.wall(of: started)) }
    json.field("unfinished", isUnfinished)
    if let failure {
      json.field("failed", now.wall(of: failure.at))
      if let code = failure.exitCode { json.field("exit_code", code) }
    }
    if let duration { json.field("duration_ms", duration) }
    if let words { json.field("words", words) }
    if let excuse {
      json.fieldIfPresent("excused", excuse.due.map { now.wall(of: $0) })
      json.field("away_from", now.wall(of: excuse.away.from))
      json.field("away_until", now.wall(of: excuse.away.until))
    }
  }

  fileprivate init?(_ json: JSONValue, _ now: ClockReading) {
    func instant(_ key: String) -> Instant? {
      json[key]?.timestamp.map { now.instant(of: $0) }
    }
    guard let since = instant("since") else { return nil }
    self.init(since: since)
    (last, started) = (instant("last"), instant("started"))
    if let from = instant("away_from"), let until = instant("away_until") {
      excuse = HeartbeatBook.Excuse(
        due: instant("excused"), away: HeartbeatBook.Absence(from: from, until: until))
    }
    isUnfinished = json["unfinished"]?.bool ?? false
    failure = instant("failed").map { at in
      let code = json["exit_code"]?.integer.flatMap { (1...255).contains($0) ? Int($0) : nil }
      return HeartbeatBook.Failure(at: at, exitCode: code)
    }
    // A span that no run can have had is none.
    duration = json["duration_ms"]?.double.flatMap { ms in
      (0...1e12).contains(ms) ? .microseconds(Int64((ms * 1000).rounded())) : nil
    }
    words = json["words"]?.string.map { String(endOf: Array($0.utf8), maxBytes: HeartbeatBook.keptWords) }
  }
}

extension ClockReading {
  /// Of a time that was written down; of one that is not believable or has not come, now.
  fileprivate func instant(of stamp: Timestamp) -> Instant {
    guard stamp.isPlausible, wall.isPlausible, stamp <= wall else { return boot }
    return boot + wall.duration(to: stamp)
  }
}
