// SPDX-License-Identifier: MIT

import COpenSSL

@testable import Basics
@testable import Checks
@testable import Curl
@testable import History
@testable import Monitoring
@testable import QuartzAPI
@testable import Spool
@testable import SpoolFuzz
@testable import StatusServer

/// Header lines are 64 KiB and 200 fields at most, a cookie's line is 8 KiB.
let answers: [Worst] = [
  Worst("header lines", "short fields", size: 90, most: 190) { count in
    let lines = (0..<count).map { Array("a\($0): b\r\n".utf8) }
    return {
      guard let headers = block(lines) else { return false }
      return headers.block.first("a\(count - 1)") == "b"
    }
  },
  Worst("header lines", "fields of one name", size: 90, most: 190) { count in
    let lines = (0..<count).map { _ in Array("a: b\r\n".utf8) }
    return { block(lines)?.block.values("a").count == count }
  },
  Worst("header lines", "one field of Content-Length", size: 4000, most: 30_000) { count in
    let line = Array("Content-Length: ".utf8) + bytes("1,", count) + Array("1\r\n".utf8)
    return { block([line])?.announced == 1 }
  },
  Worst("header lines", "folds of one field", size: 4000, most: 15_000) { count in
    let lines = [Array("a: b\r\n".utf8)] + (0..<count).map { _ in Array(" c\r\n".utf8) }
    return { block(lines)?.block.first("a") != nil }
  },
  Worst("cookies", "attributes", size: 350, most: 700) { count in
    let line = "a=b; " + text("Expires=1; ", count)
    return { taken([line]).cookies.count == 1 }
  },
  Worst("cookies", "lines", size: 500) { count in
    let lines = (0..<count).map { "c\($0)=v; Path=/" }
    return { taken(lines).cookies.count == CookieJar.maximumCookies }
  },
  Worst("cookies", "a date of many words", size: 20_000) { count in
    let date = text("1 ", count)
    return { cookieDate(date) == nil }
  },
  Worst("challenges", "parameters", size: 300, most: 700) { count in
    let line = "Digest " + (0..<count).map { "a\($0)=\"\\\\\"" }.joined(separator: ",")
    return { AuthChallenge.parse(line).count == 1 }
  },
  Worst("challenges", "parameters of one name", size: 500, most: 2000) { count in
    let line = "Digest " + text("b=c,", count)
    return { AuthChallenge.parse(line).first?.parameters.count == 1 }
  },
  Worst("coded bodies", "empty frames of zstd", size: 500, most: 3000) { count in
    let source = (0..<count).flatMap { _ in [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0] as [UInt8] }
    return { decoded("zstd", source) == .whole }
  },
  Worst("coded bodies", "empty members of gzip", size: 500, most: 3000) { count in
    let member: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let source = (0..<count).flatMap { _ in member }
    return { decoded("gzip", source) == .whole }
  },
  Worst("certificates", "alternative names", size: 1000) { count in
    let certificate = Presented(names: count)
    return { CertificateReader.read(certificate.pointer).nameCount == count }
  },
]

private func block(_ lines: [[UInt8]]) -> HeaderAccumulator? {
  var headers = HeaderAccumulator()
  guard headers.take(Array("HTTP/1.1 200 OK\r\n".utf8)) == .more else { return nil }
  for line in lines { guard headers.take(line) == .more else { return nil } }
  return headers.take([13, 10]) == .final ? headers : nil
}

private let home = try? HTTPURL("https://a.test/")

private func taken(_ lines: [String]) -> CookieJar {
  var jar = CookieJar()
  if let home { jar.take(lines, from: home, at: noon) }
  return jar
}

private func decoded(_ coding: String, _ source: [UInt8]) -> ContentDecoder.Step? {
  guard let codings = ContentCodings([coding]),
    let decoder = ContentDecoder(codings, source, limit: 1 << 20)
  else { return nil }
  var step = ContentDecoder.Step.more
  while step == .more { step = decoder.advance() }
  return step
}

/// A certificate with so many names of hosts; lives as long as the row.
private struct Presented: @unchecked Sendable {
  // One thread measures; nobody else has the pointer.
  let pointer: OpaquePointer

  init(names count: Int) {
    guard let certificate = X509_new(), let octets = ASN1_STRING_type_new(V_ASN1_OCTET_STRING) else {
      fatalError("no memory")
    }
    let names = (0..<count).flatMap { _ in [0x82, 1, 0x61] as [UInt8] }
    let head: [UInt8] = [
      0x30, 0x83, UInt8(names.count >> 16), UInt8(names.count >> 8 & 255), UInt8(names.count & 255),
    ]
    ASN1_STRING_set(octets, head + names, Int32(head.count + names.count))
    X509_add_ext(certificate, X509_EXTENSION_create_by_NID(nil, NID_subject_alt_name, 0, octets), -1)
    pointer = certificate
  }
}
