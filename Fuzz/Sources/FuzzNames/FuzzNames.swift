// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring

/// Names of hosts as people, the API and DNS write them: Punycode (RFC 3492) both ways, what is shown of it, and what
/// a URL, an address and a place with a port make of the same text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let text = String(decoding: bytes, as: UTF8.self)
  if let shown = InternationalName.unicode(text) { precondition(shown != text && shown.utf8.count < 4096) }
  // The form of a name that most are in.
  if text.utf8.allSatisfy({ $0 < 0x80 }), let shown = InternationalName.unicode("a.xn--" + text + ".b") {
    precondition((try? InternationalName.ascii(shown))?.lowercased() == "a.xn--\(text.lowercased()).b")
  }
  if let ascii = try? InternationalName.ascii(text) {
    precondition(ascii.utf8.allSatisfy { $0 < 0x80 })
    if let again = try? InternationalName.ascii(ascii) { precondition(again == ascii) }
  }
  places(text)
  return 0
}

private func places(_ text: String) {
  if let address = IPAddress(text) { precondition(IPAddress(address.description) == address) }
  if let range = CIDR(text) { precondition(CIDR(range.description) == range && range.contains(range.base)) }
  if let place = Endpoint(text, defaultPort: 1) { precondition(place.port > 0) }
  if let decoded = percentDecoded(text) { precondition(decoded.utf8.count <= text.utf8.count) }
  _ = hostProblem(text)
  _ = UniqueID(text)
  _ = try? DialogText(parsing: text)
  if let url = try? HTTPURL("http://\(text)/") { precondition(url.port > 0 && !url.host.isEmpty) }
}
