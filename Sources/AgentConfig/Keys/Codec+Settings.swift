// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Values that only settings have.
extension Codec<String> {
  /// A text that goes into every result.
  static var shown: Codec { text { judgeShown($0, $1, &$2) } }

  /// A path, absolute or as seen from the working directory afterwards.
  static var directory: Codec { path(of: "a directory") }

  /// The same of a file.
  static var wholeFile: Codec { path(of: "a file") }

  private static func path(of what: String) -> Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let path = typed.text else { return nil }
      if path.utf8.contains(0) || path.isEmpty {
        reader.problem(place.position, "\(place.key) must be the path of \(what)")
      }
      return reader.path(path)
    }
  }

  static var httpMethod: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      if !text.isEmpty, text.utf8.allSatisfy({ (0x41...0x5a).contains($0) }), text != "CONNECT" {
        return text
      }
      reader.problem(
        place.position, "\(place.key) must be an HTTP method in capitals, found \(typed.found(text))",
        hint: "such as GET, HEAD or POST")
      return nil
    }
  }

  /// A name that the status server answers to; in lower case afterwards.
  static var ownName: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      let name = try? InternationalName.ascii(text).lowercased()
      if let name, hostProblem(name) == nil { return name }
      reader.problem(
        place.position, "\(place.key) must be a name without a port, found \(typed.found(text))",
        hint: "such as agent.example")
      return nil
    }
  }

  /// A tag that becomes a label of the metrics.
  static var label: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      guard let objection = TagLabels.objection(to: text) else { return text }
      reader.problem(
        place.position, "\(place.key) \(objection), found \(typed.found(text))", hint: "such as team")
      return nil
    }
  }

  /// A name, or all below it; in lower case and without the dot at its end afterwards.
  static var namePattern: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      let isWide = text.hasPrefix("*.")
      let name = try? InternationalName.ascii(isWide ? String(text.dropFirst(2)) : text).lowercased()
      if let name, hostProblem(name) == nil, IPAddress(name) == nil {
        return (isWide ? "*." : "") + (name.hasSuffix(".") ? String(name.dropLast()) : name)
      }
      reader.problem(
        place.position, "\(place.key) must be a name, found \(typed.found(text))",
        hint: "such as shop.example, or *.shop.example for all names below it")
      return nil
    }
  }
}

func judgeShown(_ text: String, _ place: KeyPlace, _ reader: inout KeyReader) {
  if !text.contains(where: { !$0.isWhitespace }) {
    reader.problem(place.position, "\(place.key) is empty")
  } else if text.utf8.count > SettingLimits.nameBytes {
    reader.problem(
      place.position,
      "\(place.key) must be at most \(SettingLimits.nameBytes) bytes, found \(text.utf8.count)")
  } else if text.hasControlCharacter {
    reader.problem(place.position, "\(place.key) contains a control character")
  }
}

extension Codec<Redacted> {
  /// It is sent as a header value, or in a JSON text; neither has room for control characters.
  static var sentSecret: Codec {
    secret { text, place, reader in
      guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        reader.problem(place.position, "\(place.key) contains a line break or another control character")
        return false
      }
      return true
    }
  }

  /// Token that a client of the status server sends.
  static var token: Codec {
    secret { token, place, reader in
      if token.utf8.count < 10 {
        reader.problem(
          place.position, "\(place.key) must be at least 10 characters, found \(token.utf8.count)",
          hint: "such as what openssl rand -hex 16 prints")
      } else if !token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
        reader.problem(place.position, "\(place.key) may hold printable ASCII only: it travels in a header")
      }
      return true
    }
  }
}

extension Codec<HTTPURL> {
  /// URL that a secret is sent to, such as a key.
  static func base(example: String, sent: String = "the key") -> Codec {
    Codec(.text, isQuoted: true, text: \.text) { typed, place, reader in
      guard let text = typed.text else { return nil }
      do throws(HTTPURL.Invalid) {
        let url = try HTTPURL(text)
        if url.scheme == .http, !isThisMachine(url.host) {
          reader.problem(
            place.position, "\(place.key) must begin with https://",
            hint: "\(sent) would travel in clear; only this machine itself may be asked by http")
        } else if url.query != nil || text.contains("#") {
          reader.problem(place.position, "\(place.key) must have no query and no fragment")
        } else {
          return url
        }
      } catch {
        reader.problem(place.position, "\(place.key) \(error.message)", hint: "such as \(example)")
      }
      return nil
    }.printed { url, name, printer in printer.url(name, url) }
  }
}

extension Codec<UniqueID> {
  static var id: Codec {
    Codec(.text, isQuoted: true, text: \.description) { typed, place, reader in
      guard let text = typed.text else { return nil }
      if let id = UniqueID(text) { return id }
      reader.problem(place.position, "\(place.key) must be a UUID, found \(typed.found(text))")
      return nil
    }
  }
}

extension Codec<ProxySettings> {
  static var proxy: Codec {
    Codec(.hidden, text: { _ in Redacted.mark }) { typed, place, reader in
      guard let text = typed.text else { return nil }
      do throws(InvalidCheck) {
        return try ProxySettings(parsing: Redacted(text))
      } catch {
        let section = CheckProblem.keyText(place.path.dropLast())
        for problem in error.problems {
          reader.problem(place.position, "\(section).\(problem.message)", hint: problem.hint)
        }
        return nil
      }
    }.printed { proxy, _, printer in printer.shown("proxy", proxy.shownText) }
  }
}

extension Codec<EgressRule> {
  static var range: Codec {
    Codec(.text, isQuoted: true, text: { $0.texts.joined(separator: ", ") }) { typed, place, reader in
      guard let text = typed.text else { return nil }
      if let rule = EgressRule(text: text) { return rule }
      reader.problem(
        place.position, "\(place.key) must be a range of addresses, found \(typed.found(text))",
        hint:
          "such as 10.0.0.0/8, 10.0.0.0/8:443 or [2001:db8::/32]:443; no bit below the prefix may be set")
      return nil
    }
  }
}

extension Codec<ListenAddress?> {
  static var listen: Codec {
    Codec(.text, isQuoted: true, text: { $0?.description ?? "off" }) { typed, place, reader in
      guard let text = typed.text else { return nil }
      if text == "off" { return .some(nil) }
      if text.hasPrefix("unix:") {
        let path = reader.path(String(text.dropFirst(5)))
        judgeSocket(path, place.key, place.position, &reader)
        return ListenAddress.unix(path: path)
      }
      guard let (host, port) = hostAndPort(text) else {
        reader.problem(
          place.position, "\(place.key) must be off, host:port or unix:PATH, found \(typed.found(text))",
          hint: "such as 127.0.0.1:9797")
        return nil
      }
      guard host == "localhost" || IPAddress(host) != nil else {
        reader.problem(
          place.position, "\(place.key) must be an address, found \(typed.found(text))",
          hint: "such as 0.0.0.0:9797; names that people use for it belong in status.hosts")
        return nil
      }
      return ListenAddress.tcp(host: host, port: port)
    }
  }
}

/// Also port 0, which no check may have.
private func hostAndPort(_ text: String) -> (String, UInt16)? {
  if text.hasSuffix(":0"), let endpoint = Endpoint(text.dropLast() + "1", defaultPort: nil) {
    return (endpoint.host, 0)
  }
  return Endpoint(text, defaultPort: nil).map { ($0.host, $0.port) }
}

/// Bytes of a socket's path: sockaddr_un holds 108, the last of them NUL.
let mostSocketPath = 107

func judgeSocket(_ path: String, _ key: String, _ position: Position, _ reader: inout KeyReader) {
  if path.utf8.count > mostSocketPath {
    reader.problem(
      position,
      "\(key) would be a socket path of \(path.utf8.count) bytes, at most \(mostSocketPath) are possible",
      hint: "choose a shorter path, such as unix:/run/quartz-agent.sock")
  } else if path.utf8.contains(0) || path.hasSuffix("/") || path == "." {
    reader.problem(position, "\(key) must name a socket after unix:")
  }
}
