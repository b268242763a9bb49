// SPDX-License-Identifier: MIT

/// A host (name or address literal without brackets) and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// `host:port`, IPv6 literals in brackets.
  package var description: String { "\(bracketed(host)):\(port)" }
}

/// A host as it stands before a port: an IPv6 address in brackets (RFC 3986, 3.2.2), anything else as it is.
package func bracketed(_ host: String) -> String {
  host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
}

/// A host in the one form that hosts are compared in: lower case, without the dot at the end, which means the same.
package func plainHost(_ host: String) -> String {
  (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
}

/// Whether what goes to this host stays on this machine, as far as can be told without asking.
package func isThisMachine(_ host: String) -> Bool {
  host == "localhost" || IPAddress(host)?.isLoopback == true
}

extension Endpoint {
  /// Parses `host`, `host:port`, a bare IPv6 address and `[address]:port`. The host is not judged. `nil` for a port that
  /// is none, for unclosed brackets and, without a default, for a missing port.
  package init?(_ text: String, defaultPort: UInt16?) {
    var host = text[...]
    var digits: Substring?
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<close]
      guard IPAddress(host)?.version == 6 else { return nil }
      let rest = text[text.index(after: close)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      digits = rest.isEmpty ? nil : rest.dropFirst()
    } else if IPAddress(text) == nil, let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      digits = text[text.index(after: colon)...]
    }
    guard !host.isEmpty else { return nil }
    if let digits {
      guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let port = UInt16(digits), port > 0
      else { return nil }
      self.init(host: String(host), port: port)
    } else {
      guard let defaultPort else { return nil }
      self.init(host: String(host), port: defaultPort)
    }
  }
}
