// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Outages of one check that followed one another closely, told as one: a service that flaps is one piece of news.
struct OutageFold: Sendable {
  let check: PublicCheck
  /// Of the oldest, also where that is not kept any more.
  let begin: Timestamp
  /// Begin of the newest.
  private(set) var newest: Timestamp
  /// Of the newest; `nil` while it lasts.
  private(set) var end: Timestamp?
  private(set) var count: Int
  /// Down time of all of them.
  private(set) var length: Duration
  /// From the first begin to the last end, or as far as is known.
  private(set) var span: Duration

  private init(_ check: PublicCheck, _ outage: PublicCheck.Downtime) {
    let earlier = outage.earlier
    (self.check, newest, end) = (check, outage.begin, outage.end)
    begin = earlier?.begin ?? outage.begin
    count = 1 + (earlier?.count ?? 0)
    length = outage.length + (earlier?.length ?? .zero)
    span = begin.duration(to: outage.begin) + outage.length
  }

  private mutating func add(_ outage: PublicCheck.Downtime) {
    // The same outage, of which the agent missed a part.
    if !outage.isContinued { (count, newest) = (count + 1, outage.begin) }
    (end, length) = (outage.end, length + outage.length)
    span = begin.duration(to: outage.begin) + outage.length
  }

  /// Newest first.
  static func all(of check: PublicCheck) -> [OutageFold] {
    var folds: [OutageFold] = []
    for outage in check.outages.reversed() {
      if let last = folds.last, let end = last.end,
        outage.isContinued || end.duration(to: outage.begin) < Outage.gap
      {
        folds[folds.count - 1].add(outage)
      } else {
        folds.append(OutageFold(check, outage))
      }
    }
    return folds.reversed()
  }

  /// When it last was news.
  var changed: Timestamp { end ?? newest }

  /// Behind the name and the time it began: how long it took, or has lasted.
  func words(_ words: any PublicWords) -> String {
    if count > 1 { return words.repeated(count, within: words.length(span), down: words.length(length)) }
    return end == nil ? words.lasting(words.length(length)) : words.downFor(words.length(length))
  }
}
