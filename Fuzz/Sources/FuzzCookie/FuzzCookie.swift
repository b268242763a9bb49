// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Monitoring

/// Set-Cookie lines (RFC 6265 sections 5.1.1 and 5.2) and what is sent back of them at instants near and far.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  if let date = cookieDate(text) { precondition(date > Timestamp(seconds: -11_700_000_000)) }
  guard let home else { return 0 }
  let lines = text.split(separator: "\n").map(String.init)
  // The length chooses: at all of them it would take thrice the time.
  let now = instants[count % instants.count]
  var jar = CookieJar()
  jar.take(lines, from: home, at: now)
  // And as the attributes of one.
  jar.take(lines.prefix(4).flatMap { ["a=b; Max-Age=\($0)", "c=d; Expires=\($0)"] }, from: home, at: now)
  precondition(jar.cookies.count <= CookieJar.maximumCookies)
  guard let header = jar.header(for: home, at: now) else { return 0 }
  precondition(header.utf8.count <= CookieJar.maximumHeaderBytes)
  precondition(header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }, "a control character")
  return 0
}

private let instants = [
  Timestamp(seconds: 1_772_000_000), Timestamp(microseconds: .max), Timestamp(microseconds: .min),
]

private let home = try? HTTPURL("https://a.good.test/a/b?c")
