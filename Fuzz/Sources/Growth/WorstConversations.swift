// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Network
@testable import Curl
@testable import History
@testable import Monitoring
@testable import QuartzAPI
@testable import Spool
@testable import SpoolFuzz
@testable import StatusServer

/// What is looked for is as long as a header's value may be.
let secrets: [Worst] = [
  Worst("masking of secrets", "a text of one byte", size: 16_000) { count in
    let words = SecretWords([text("ab", 2000), "s3cret"])
    let source = [UInt8](repeating: 0xff, count: count)
    return { words.hide(source) == nil }
  },
  Worst("masking of secrets", "half a secret, again and again", size: 16_000) { count in
    let words = SecretWords([text("a", 2000) + "b"])
    let source = bytes(text("a", 1999) + "c", max(1, count / 2000))
    return { words.hide(source) != [] }
  },
  Worst("masking of secrets", "nothing but the secret", size: 16_000) { count in
    let words = SecretWords(["ab", "ba"])
    let source = bytes("abba", count / 4)
    return { words.hide(source)?.isEmpty == false }
  },
  Worst("masking of secrets", "escapes of three kinds", size: 4000) { count in
    let words = SecretWords(["aaab"])
    let source = bytes("%61\\u0061&#x61;&#x0000000", count)
    return { words.hide(source) != [] }
  },
  Worst("masking of secrets", "a long secret", size: 1000, most: 4096) { count in
    let secret = (0..<count).map { "\($0 % 10)" }.joined()
    return { !SecretWords([secret]).isEmpty }
  },
  Worst("patterns", "a text without a match", size: 20_000) { count in
    let source = bytes("x12345", count)
    guard let pattern = try? Pattern(#"x\d{3}y"#) else { return { false } }
    return { pattern.firstMatch(in: source) == .none }
  },
]

/// A conversation looks at 16 KiB at most.
let conversations: [Worst] = [
  Worst("STARTTLS", "lines of a capability, byte by byte", size: 300, most: 1000) { count in
    let stream =
      Array("220 a\r\n".utf8) + bytes("250-A\r\n", count) + Array("250 STARTTLS\r\n220 go\r\n".utf8)
    return { talked(.smtp, stream, pieces: 1).finishedAt != nil }
  },
  Worst("STARTTLS", "lines of imap", size: 450, most: 900) { count in
    let stream =
      Array("* OK\r\n".utf8) + bytes("* CAPABILITY A\r\n", count)
      + Array("* CAPABILITY STARTTLS\r\ns1 OK\r\ns2 OK\r\n".utf8)
    return { talked(.imap, stream, pieces: 16).finishedAt != nil }
  },
  Worst("STARTTLS", "features of xmpp", size: 600, most: 1200) { count in
    let stream =
      Array("<?xml version='1.0'?><stream:stream><stream:features>".utf8) + bytes("<a b='c'/>", count)
    return { talked(.xmpp, stream, pieces: 16).failure == nil }
  },
  Worst("dialogs", "what is expected, nearly", size: 2000, most: 8000) { count in
    let wanted = text("a", 200) + "b"
    let stream = bytes("a", count)
    let steps = [SpokenStep(.expect(.literal(wanted)))]
    return { !spoken(SpokenDialog(steps), stream, pieces: 1).window.isEmpty }
  },
  Worst("DNS", "pointers to one name of 255 bytes", size: 8000, most: 60_000) { count in
    let (message, answers) = longNames(count)
    return { (try? DNSMessage(message))?.answers.count == answers }
  },
  Worst("DNS", "texts", size: 8000, most: 60_000) { count in
    let (message, answers) = texts(count)
    return { (try? DNSMessage(message))?.answers.count == answers }
  },
  Worst("DNS", "an answer over TCP, byte by byte", size: 8000, most: 60_000) { count in
    let (message, _) = texts(count)
    guard let question = (try? DNSMessage(message))?.question else { return { false } }
    let query = DNSQuery(id: 1, question: question, recursion: true, edns: false)
    let stream = [UInt8(message.count >> 8), UInt8(message.count & 255)] + message
    return {
      var conversation = DNSStreamConversation(query: query)
      let now = Instant.now
      _ = conversation.opened(at: now)
      for index in stream.indices { _ = conversation.received(stream[index...index], from: nil, at: now) }
      return conversation.answer == message
    }
  },
]

private func talked(_ kind: StartTLSProtocol, _ stream: [UInt8], pieces: Int) -> DialogConversation {
  spoken(SpokenDialog.startTLS(kind, host: "a.test"), stream, pieces: pieces)
}

private func spoken(_ dialog: SpokenDialog, _ stream: [UInt8], pieces: Int) -> DialogConversation {
  var conversation = DialogConversation(dialog)
  var now = Instant.now
  _ = conversation.opened(at: now)
  var rest = stream[...]
  while !rest.isEmpty {
    now += .microseconds(1)
    let step = conversation.received(rest.prefix(pieces), from: nil, at: now)
    rest = rest.dropFirst(pieces)
    // As a reactor wakes it when it asks for it.
    if rest.isEmpty, let wake = step.wake { _ = conversation.woke(at: wake) }
  }
  return conversation
}

private let header: [UInt8] = [0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]

private func longNames(_ size: Int) -> (bytes: [UInt8], answers: Int) {
  var message = header
  for _ in 0..<3 { message += [63] + [UInt8](repeating: 0x61, count: 63) }
  message += [61] + [UInt8](repeating: 0x61, count: 61) + [0, 0, 5, 0, 1]
  let answers = (size - message.count) / 14
  for _ in 0..<answers { message += [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 1, 0, 2, 0xc0, 12] }
  return (counted(message, answers), answers)
}

private func texts(_ size: Int) -> (bytes: [UInt8], answers: Int) {
  var message = header + [1, 0x61, 0, 0, 16, 0, 1]
  let answers = (size - message.count) / 32
  for _ in 0..<answers {
    message += [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 1, 0, 20, 19] + [UInt8](repeating: 0x22, count: 19)
  }
  return (counted(message, answers), answers)
}

private func counted(_ message: [UInt8], _ answers: Int) -> [UInt8] {
  var message = message
  message[6] = UInt8(answers >> 8)
  message[7] = UInt8(answers & 255)
  return message
}

let places: [Worst] = [
  Worst("resolv.conf", "options", size: 5000) { count in
    let source = "options" + text(" ndots:9", count) + "\n" + text("search a\n", count)
    return { ResolverConfiguration(parsing: source).ndots == 9 }
  },
  Worst("resolv.conf", "search domains on one line", size: 5000) { count in
    let source = "search" + text(" a.test", count)
    return { ResolverConfiguration(parsing: source).search.count == 32 }
  },
  Worst("hosts", "one name on every line", size: 5000) { count in
    let source = (0..<count).map { "10.0.\($0 / 256 % 256).\($0 % 256) same\n" }.joined()
    return { HostsTable(parsing: source).addresses.count == 1 }
  },
  Worst("hosts", "names on one line", size: 5000) { count in
    let source = "127.0.0.1" + (0..<count).map { " n\($0)" }.joined()
    return { HostsTable(parsing: source).addresses.count == count }
  },
  Worst("hosts", "a name of combining marks", size: 20_000) { count in
    let name = "a" + text("\u{301}\u{323}", count)
    let source = "127.0.0.1 \(name)\n127.0.0.2 \(name)\n"
    return { HostsTable(parsing: source).addresses.count == 1 }
  },
  Worst("time zones", "transitions", size: 5000) { count in
    let source = zone(count)
    return { TimeZoneRules(name: "a", file: source) != nil }
  },
  Worst("status requests", "items of a query", size: 5000) { count in
    let target = "/api/v1/results?" + text("a%41=b+c&", count)
    return { RequestPath(target)?["aA"] == "b c" }
  },
  Worst("status requests", "segments of a path", size: 5000) { count in
    let target = text("/a%41", count)
    return { RequestPath(target)?.segments.count == count }
  },
]

private func zone(_ count: Int) -> [UInt8] {
  func header(_ times: Int) -> [UInt8] {
    var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    for number in [0, 0, 0, times, 1, 1] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
    return bytes
  }
  var source = header(0) + [UInt8](repeating: 0, count: 7) + header(count)
  for index in 0..<count { source += (0..<8).map { UInt8(truncatingIfNeeded: index >> (56 - 8 * $0)) } }
  return source + [UInt8](repeating: 0, count: count + 7) + [10, 10]
}
