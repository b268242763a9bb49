// SPDX-License-Identifier: MIT

import Basics

extension CheckJudge {
  /// Request headers: names are tokens and each given once, values are what RFC 9110, section 5.5, lets a value be.
  mutating func headers() -> [HeaderField] {
    let headers = definition.headers ?? []
    if headers.count > CheckLimits.headers {
      problem(["headers"], "headers has \(headers.count) entries, at most \(CheckLimits.headers) are allowed")
    }
    let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.reveal().utf8.count }
    if bytes > CheckLimits.headerBytes {
      problem(
        ["headers"], "headers must be at most \(CheckLimits.headerBytes) bytes together, found \(bytes)")
    }
    var seen: Set<ByteText> = []
    for header in headers {
      let path = ["headers", header.name]
      if let words = headerProblem(header) {
        problem(path, words.message, hint: words.hint)
      } else if !seen.insert(ByteText(header.name.lowercased())).inserted {
        problem(path, "headers.\(header.name) is given twice", hint: "header names do not depend on case")
      }
    }
    return headers.map { HeaderField($0.name, $0.value) }
  }

  private func headerProblem(_ header: (name: String, value: Redacted)) -> (message: String, hint: String?)? {
    let name = header.name
    guard isToken(name) else {
      return ("headers has the name \"\(name.printable(maxBytes: 60))\", which is no header name", nil)
    }
    let lower = name.lowercased()
    if let why = ownedHeaders[ByteText(lower)] { return ("headers.\(name) must not be set", why) }
    // A stranger's Host would reach a virtual host that the address's owner never published.
    if lower == "host", definition.origin == .api { return ("headers.\(name) must not be set", nil) }
    guard isFieldValue(header.value.reveal()) else {
      return ("headers.\(name) contains a line break, NUL or another control character", nil)
    }
    return nil
  }
}

/// The headers that frame the message or the connection; set by hand they would make the request another one.
private let ownedHeaders: [ByteText: String] = [
  "content-length": "it follows from the body",
  "transfer-encoding": "it follows from the body",
  "connection": "every probe uses a connection of its own",
  "keep-alive": "every probe uses a connection of its own",
  "proxy-connection": "every probe uses a connection of its own",
  "proxy-authorization": "it belongs to a proxy",
  "te": "it belongs to the connection",
  "trailer": "it belongs to the connection",
  "upgrade": "a probe speaks HTTP only",
  "http2-settings": "a probe speaks HTTP only",
]

/// No CR, LF, NUL or other control character but tab: nothing that could end the line.
func isFieldValue(_ text: String) -> Bool {
  text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
}
