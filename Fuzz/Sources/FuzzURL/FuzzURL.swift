// SPDX-License-Identifier: MIT

import CCurl

@testable import Basics
@testable import Checks
@testable import Network
@testable import Monitoring

/// A URL, a Location and what else a page sends, a line each: what our parser takes, libcurl reads the same way, and a
/// redirect never leads outside of http and https or takes credentials along.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
  let location = lines.count > 1 ? lines[1] : ""
  for line in lines.prefix(2) { if let url = try? HTTPURL(line) { check(url) } }
  let base = (try? HTTPURL(lines[0])) ?? home
  if let next = try? base.resolving(location: location) { check(next) }
  redirect(from: base, to: location)
  if lines.count > 2 { cookies(lines[2], from: base) }
  if lines.count > 3 { precondition(AuthChallenge.parse(lines[3]).count <= 17) }
  return 0
}

private let home = { () -> HTTPURL in
  guard let url = try? HTTPURL("https://good.test/a/b?c") else { preconditionFailure("no url at all") }
  return url
}()

private func check(_ url: HTTPURL) {
  let text = url.text
  precondition(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "not printable ASCII")
  // A Location may be longer than a URL of a check.
  precondition((try? home.resolving(location: text)) == url, "not the same when read again: \(text)")
  precondition(url.path.hasPrefix("/") && url.port > 0)
  guard let handle = curl_url() else { return }
  defer { curl_url_cleanup(handle) }
  // As CURLOPT_PATH_AS_IS has it.
  let asIs = UInt32(CURLU_PATH_AS_IS)
  precondition(curl_url_set(handle, CURLUPART_URL, text, asIs) == CURLUE_OK, "libcurl refuses \(text)")
  precondition(part(handle, CURLUPART_PATH) == url.path, "libcurl asks for another path than that of \(text)")
  precondition(part(handle, CURLUPART_USER) == nil && part(handle, CURLUPART_PASSWORD) == nil)
  let host = part(handle, CURLUPART_HOST)?.lowercased() ?? ""
  let ours = url.host.contains(":") ? "[\(url.host)]" : url.host
  precondition(host == ours.lowercased(), "libcurl reads the host of \(text) as \(host)")
  precondition(part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)) == String(url.port))
}

private func part(_ handle: OpaquePointer, _ which: CURLUPart, _ flags: UInt32 = 0) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard curl_url_get(handle, which, &text, flags) == CURLUE_OK, let text else { return nil }
  defer { curl_free(text) }
  return String(cString: text)
}

private func redirect(from base: HTTPURL, to location: String) {
  var definition = CheckDefinition()
  definition.name = "fuzz"
  definition.type = "http"
  definition.url = base.text
  guard let check = try? MonitoringCheck(definition), case .http(let settings) = check.kind else { return }
  for status in [301, 303, 307] {
    var rule = RedirectRule(settings)
    let step = HTTPStep(settings)
    guard case .follow(let next) = rule.decide(after: step, status: status, location: location) else {
      continue
    }
    precondition(next.redirects == 1)
    precondition(next.url.scheme == .https || base.scheme == .http, "a downgrade")
    precondition(next.sendsOwnHeaders == (next.url.origin == base.origin), "credentials went along")
  }
}

private let now = Timestamp(seconds: 1_800_000_000)

private let filled = {
  var jar = CookieJar()
  for number in 1..<CookieJar.maximumCookies { jar.take(["c\(number)=v; Path=/"], from: home, at: now) }
  return jar
}()

private func cookies(_ text: String, from base: HTTPURL) {
  // One that is nearly full.
  var jar = filled
  for _ in 0..<3 { jar.take(text.split(separator: "\u{1}").map(String.init), from: base, at: now) }
  precondition(jar.cookies.count <= CookieJar.maximumCookies)
  guard let header = jar.header(for: base, at: now) else { return }
  precondition(header.utf8.count <= CookieJar.maximumHeaderBytes)
  precondition(header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }, "a control character")
}
