// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// STARTTLS of XMPP (RFC 6120 5.4): a stream of XML of which only the few elements in question are looked for.
extension SpokenDialog {
  static func xmppStartTLS(_ host: String) -> SpokenDialog {
    let opening =
      "<?xml version='1.0'?><stream:stream to='\(escaped(host))' version='1.0' xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'>"
    return SpokenDialog([
      SpokenStep("stream", say: .bytes(Array(opening.utf8)), read: .read(features)),
      SpokenStep(
        "starttls", say: .bytes(Array("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>".utf8)),
        read: .read(goAhead)),
    ])
  }

  private static let features: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    if let first = bytes.first(where: { $0 > 0x20 }), first != UInt8(ascii: "<") {
      return .foreign("this is not xmpp")
    }
    // What is looked for ends with it.
    guard bytes.contains(UInt8(ascii: ">")) else { return .more }
    // Whichever comes first: how the stream was cut must not decide what is read as its beginning.
    let ends = [bytes.end(of: "</stream:features>"), bytes.end(of: "<stream:features/>")].compactMap { $0 }
    let answer = bytes[..<(ends.min() ?? bytes.endIndex)]
    if answer.holds("<stream:error") { return .refused("xmpp answered with a stream error") }
    if ends.isEmpty { return .more }
    guard answer.holds("urn:ietf:params:xml:ns:xmpp-tls") else {
      return .refused("xmpp does not offer STARTTLS")
    }
    return .accepted(answer.count)
  }

  private static let goAhead: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    guard bytes.first == UInt8(ascii: "<") else { return .foreign("this is not xmpp") }
    guard let close = bytes.firstIndex(of: UInt8(ascii: ">")) else { return .more }
    let element = String(decoding: bytes[...close], as: UTF8.self)
    if element.hasPrefix("<failure") { return .refused("xmpp answered with a failure") }
    if element.hasPrefix("<stream:error") { return .refused("xmpp answered with a stream error") }
    guard element.hasPrefix("<proceed") else { return .foreign("this is not xmpp") }
    // An element that is not empty has an end of its own.
    // bounded: a place within the bytes
    guard !element.hasSuffix("/>") else { return .accepted(close + 1 - bytes.startIndex) }
    // bounded: a place within the bytes
    guard let end = bytes[(close + 1)...].firstIndex(of: UInt8(ascii: ">")) else { return .more }
    return .accepted(end + 1 - bytes.startIndex)  // bounded: a place within the bytes
  }

  private static func escaped(_ host: String) -> String {
    host.filter { !"<>&'\"".contains($0) }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func holds(_ text: StaticString) -> Bool { end(of: text) != nil }

  /// Where the first such text ends. By memchr and memcmp: a stranger's bytes are looked through on the network thread.
  fileprivate func end(of text: StaticString) -> Int? {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      let (wanted, count) = (text.utf8Start, text.utf8CodeUnitCount)
      var offset = 0
      // bounded: a place within the bytes
      while bytes.count - offset >= count,
        // bounded: a place within the bytes
        let hit = memchr(start + offset, Int32(wanted.pointee), bytes.count - offset - count + 1)
      {
        offset = UnsafeRawPointer(hit) - start  // bounded: a place within the bytes
        // bounded: a place within the bytes
        if memcmp(hit, wanted, count) == 0 { return startIndex + offset + count }
        offset += 1  // bounded: a place within the bytes
      }
      return nil
    }
  }
}
