// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// An action that a form on our pages asks for.
struct PageAct {
  var kind: PageAction
  /// An open incident, a check, or a mute or window by its id.
  var incident: UniqueID?
  var check: UniqueID?
  var order: UniqueID?
  var length: Duration
  /// The instant that the form gave; `nil` where it gave a length.
  var until: Timestamp?
  var note: String?
  /// The page to go back to.
  var back: String

  init(_ form: RequestPath, now: Timestamp) throws(BadRequest) {
    guard let kind = PageAction(rawValue: form["do"] ?? "") else { throw BadRequest("do names no action") }
    self.kind = kind
    (incident, check, order) = (
      form["incident"].flatMap { UniqueID($0) }, form["check"].flatMap { UniqueID($0) },
      form["order"].flatMap { UniqueID($0) }
    )
    note = form["note"].flatMap { $0.isEmpty ? nil : $0 }
    back = Self.back(form["back"])
    length = try Self.length(form, now: now)
    if form["until"].map({ !$0.isEmpty }) ?? false { until = now.advanced(by: length) }
  }

  /// A path of this server, and nothing else: no page leads elsewhere by it.
  static func back(_ text: String?) -> String {
    guard let back = text, back.utf8.count <= 500, back.hasPrefix("/"), !back.hasPrefix("//"),
      back.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    return back
  }

  /// Until an instant, else for so long, else for an hour. An instant without a zone is UTC.
  private static func length(_ form: RequestPath, now: Timestamp) throws(BadRequest) -> Duration {
    if let until = form["until"], !until.isEmpty {
      let zoned = until.hasSuffix("Z") ? until : until + (until.count == 16 ? ":00Z" : "Z")
      guard let end = Timestamp(rfc3339: zoned) else {
        throw BadRequest("until must be a time, such as 2026-01-04T08:00 (UTC)")
      }
      let length = now.duration(to: end)
      guard OperatorWish.length.contains(length) else {
        throw BadRequest("until must be later than now and at most 30 days away")
      }
      return length
    }
    guard let text = form["for"], !text.isEmpty else { return PageForms.muteLength }
    guard let length = Duration(text: text), OperatorWish.length.contains(length) else {
      throw BadRequest("for must be a duration of at most 30d, such as 30m")
    }
    return length
  }
}

extension PageForms {
  /// Whether the request comes from a page of this server, as far as the browser tells.
  func accepts(_ path: RequestPath, _ request: StatusRequest) -> Bool {
    guard let shown = path["proof"], equalInConstantTime(Array(shown.utf8), Array(proof.utf8)) else {
      return false
    }
    return request.isOwnPage
  }
}

extension StatusRequest {
  /// Sent by a page of this server, as far as the browser tells: old browsers do not, and what is there must not contradict.
  /// Sec-Fetch-Site is the browser's own word, which no page can write; Host is the proxy's word where there is one.
  var isOwnPage: Bool {
    if let fetchSite { return fetchSite == "same-origin" }
    guard let origin, origin != "null", let host else { return true }
    return origin.lowercased().split(separator: "/").last.map(String.init) == host.lowercased()
  }

  /// Why it is taken for another site's, with what helps.
  var foreignWords: String {
    let what = "This form comes from another site"
    guard fetchSite == nil, let origin, let host else { return what }
    return
      "\(what): Origin is \(origin.printable(maxBytes: 200)), Host is \(host.printable(maxBytes: 200)). A reverse proxy must pass Host on unchanged"
  }

  /// Sent by a script of a page, which reads the answer itself.
  var wantsJSON: Bool { accept?.contains("application/json") ?? false }

  /// Sent by a browser that shows the answer to a person.
  var wantsPage: Bool { accept?.contains("text/html") ?? false }
}
