// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// PostgreSQL's frontend protocol 3.0, and MySQL's.
extension SpokenDialog {
  /// No login takes place: the server's demand for a password, or its refusal of this user, shows that it works. Its
  /// answer when it cannot serve any client is a failure.
  static let postgres = SpokenDialog([
    SpokenStep("startup", say: .bytes(postgresStartup), read: .read(postgresAnswer))
  ])

  private static let postgresStartup: [UInt8] = {
    let words = ["user", "quartz-agent", "database", "postgres", "application_name", "quartz-agent"]
    let parameters: [UInt8] = words.flatMap { (word: String) -> [UInt8] in Array(word.utf8) + [0] } + [0]
    return bigEndian(UInt32(8 + parameters.count)) + [0, 3, 0, 0] + parameters  // bounded: bytes of ours
  }()

  private static let postgresAnswer: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    var rest = bytes
    while let type = rest.first {
      guard "RENv".utf8.contains(type) else { return .foreign("this is not postgres") }
      guard rest.count >= 5 else { return .more }
      let length = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }  // bounded: four bytes
      guard (4...8192).contains(length) else {
        return type == UInt8(ascii: "E") ? oldPostgresError(rest) : .foreign("this is not postgres")
      }
      guard rest.count > length else { return .more }
      let body = Array(rest.dropFirst(5).prefix(length - 4))  // bounded: four to 8,192, as was asked before
      rest = rest.dropFirst(1 + length)  // bounded: four to 8,192, as was asked before
      if type == UInt8(ascii: "R") {
        // Without a password asked for, the session stands and has to be ended (type 0: AuthenticationOk).
        let isIn = body.allSatisfy { $0 == 0 }
        let end = SpokenStep("terminate", say: .bytes(Array("X".utf8) + [0, 0, 0, 4]))
        // bounded: what is left of them
        return .accepted(isIn ? bytes.count : bytes.count - rest.count, then: isIn ? [end] : [])
      }
      if type == UInt8(ascii: "E") {
        // Only letters and digits, as the state is shown.
        let state = String(
          postgresField("C", in: body).prefix(5).filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
        return postgresCannotServe(state, postgresField("M", in: body))
          // bounded: what is left of them
          ? .refused("postgres answered error \(state)") : .accepted(bytes.count - rest.count)
      }
    }
    return .more
  }

  /// Text of a field of ErrorResponse: its type, its text, a zero. Empty where the field is absent.
  private static func postgresField(_ type: Character, in body: [UInt8]) -> String {
    let field = body.split(separator: 0).first { $0.first == type.asciiValue } ?? []
    return String(decoding: field.dropFirst().prefix(256), as: UTF8.self)
  }

  /// Whether an error is of a server that cannot serve any client.
  ///
  /// The classes are too few resources (53), an operator's doing such as starting up or shutting down (57), and system
  /// errors (58, XX). A connection exception (08) is one too unless it refuses this client: PgBouncer answers 08P01
  /// both when it is full or its server is down, and to an unknown user.
  private static func postgresCannotServe(_ state: String, _ message: String) -> Bool {
    if state.hasPrefix("08") { return !refusesClient(message.lowercased()) }
    return ["53", "57", "58", "XX"].contains { state.hasPrefix($0) }
  }

  /// Whether the message of a connection exception is about the user, the database or the login of this check.
  ///
  /// A "server login" is the pooler's own, and not this client's.
  private static func refusesClient(_ message: String) -> Bool {
    if message.hasPrefix("server ") || message.contains("server login") { return false }
    let beginnings = [
      "no such user", "no such database", "username too long", "ssl required", "tls required",
    ]
    let parts = ["authentication failed", "login rejected", "\" is disabled", "\" does not exist"]
    return beginnings.contains { message.hasPrefix($0) } || parts.contains { message.contains($0) }
  }

  /// The error of a server that cannot start a process for the connection: `E`, a line of text, a zero, and no length.
  private static func oldPostgresError(_ bytes: ArraySlice<UInt8>) -> Reading {
    let text = bytes.dropFirst().prefix(8192)
    let line = text.prefix { $0 >= 0x20 || $0 == UInt8(ascii: "\n") }
    if line.count == text.count { return text.count < 8192 ? .more : .foreign("this is not postgres") }
    guard !line.isEmpty, text[line.endIndex] == 0 else { return .foreign("this is not postgres") }
    return .refused("postgres answered with an error without a code, as when it cannot start a process")
  }

  /// Errors of a server that cannot serve: out of memory or threads, too many connections, going down, limits reached,
  /// offline mode; and of a router without a server behind it (2003, 2013).
  private static let mysqlCannotServe: Set<Int> = [
    1037, 1038, 1040, 1041, 1053, 1135, 1203, 1226, 2003, 2013, 3032, 3168,
  ]

  /// A login without a password, to its end: a handshake that is broken off counts against this host, and after a
  /// hundred of them the server blocks it (`max_connect_errors`).
  static func mysql(greeting: Bool) -> SpokenDialog {
    guard greeting else { return SpokenDialog([mysqlLogin(sequence: 2, overTLS: true)]) }
    return SpokenDialog([
      SpokenStep(
        "greeting",
        read: .read { bytes in
          // A host that is not let in, or is blocked, is told so at once (1129, 1130): the server works.
          if let error = mysqlGreetingError(bytes), !mysqlCannotServe.contains(error.code) {
            return .accepted(error.count)
          }
          return mysqlGreeting(bytes) { _, count in
            .accepted(count, then: [mysqlLogin(sequence: 1, overTLS: false)])
          }
        })
    ])
  }

  static let mysqlTLSFlag: UInt32 = 0x800

  /// The error that comes in a greeting's place; nil: no error, or not all of it.
  private static func mysqlGreetingError(_ bytes: ArraySlice<UInt8>) -> (code: Int, count: Int)? {
    guard bytes.count >= 5, let packet = mysqlPacket(bytes, sequences: 0...0), let body = packet.body,
      body[0] == 0xff
    else { return nil }
    return (mysqlError(body), packet.count)
  }

  /// - Parameter accept: is given the server's capabilities and the greeting's length.
  static func mysqlGreeting(
    _ bytes: ArraySlice<UInt8>, _ accept: (_ capabilities: UInt32, _ count: Int) -> Reading
  ) -> Reading {
    guard bytes.count >= 5 else { return .more }
    guard let packet = mysqlPacket(bytes, sequences: 0...0) else { return .foreign("this is not mysql") }
    guard let body = packet.body else { return .more }
    if body[0] == 0xff { return .refused("mysql answered error \(mysqlError(body))") }
    // bounded: a place within the body
    guard body[0] == 10, let end = body.dropFirst().firstIndex(of: 0), body.count >= end + 16 else {
      return .foreign("this is not mysql with protocol version 10")
    }
    let fields = Array(body[(end + 1)...])  // bounded: a place within the body
    // bounded: bytes that are there, as was asked before
    var capabilities = UInt32(fields[13]) | UInt32(fields[14]) << 8
    // bounded: bytes that are there, as was asked before
    if fields.count >= 20 { capabilities |= UInt32(fields[18]) << 16 | UInt32(fields[19]) << 24 }
    return accept(capabilities, packet.count)
  }

  /// Protocol 4.1, secure connection, plugin authentication; and TLS where that is asked for.
  static func mysqlFlags(overTLS: Bool) -> [UInt8] {
    let flags: UInt32 = 0x1 | 0x200 | 0x8000 | 0x80000 | (overTLS ? mysqlTLSFlag : 0)
    // bounded: bytes of ours
    return littleEndian(flags) + littleEndian(1 << 24) + [33] + [UInt8](repeating: 0, count: 23)
  }

  static func mysqlFrame(_ body: [UInt8], sequence: UInt8) -> [UInt8] {
    littleEndian(UInt32(body.count)).prefix(3) + [sequence] + body  // bounded: bytes of ours
  }

  static func mysqlLoginBytes(sequence: UInt8, overTLS: Bool) -> [UInt8] {
    let body =
      // bounded: bytes of ours
      mysqlFlags(overTLS: overTLS) + Array("quartz-agent".utf8) + [0, 0] + Array("mysql_native_password".utf8)
      + [0]
    return mysqlFrame(body, sequence: sequence)
  }

  private static func mysqlLogin(sequence: UInt8, overTLS: Bool) -> SpokenStep {
    SpokenStep(
      "login without a password", say: .bytes(mysqlLoginBytes(sequence: sequence, overTLS: overTLS)),
      read: .read(mysqlLoginAnswer))
  }

  private static let mysqlLoginAnswer: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    guard bytes.count >= 5 else { return .more }
    guard let packet = mysqlPacket(bytes, sequences: 1...9) else { return .foreign("this is not mysql") }
    guard let body = packet.body else { return .more }
    switch body[0] {
    case 0: return .accepted(packet.count, then: [SpokenStep("quit", say: .bytes([1, 0, 0, 0, 1]))])
    case 1: return .accepted(packet.count)
    case 0xfe where packet.sequence < 8:
      // Another way to log in: an empty password, to hear the end of it.
      let answer = SpokenStep(
        // bounded: below 8, as was asked before
        "no password", say: .bytes(mysqlFrame([], sequence: packet.sequence + 1)),
        read: .read(mysqlLoginAnswer))
      return .accepted(packet.count, then: [answer])
    case 0xff:
      let code = mysqlError(body)
      return mysqlCannotServe.contains(code)
        ? .refused("mysql answered error \(code)") : .accepted(packet.count)
    default: return .foreign("this is not mysql")
    }
  }

  /// `nil` where it is no packet; without a body where it is not complete. At most 8 KiB and at least one byte.
  private static func mysqlPacket(
    _ bytes: ArraySlice<UInt8>, sequences: ClosedRange<UInt8>
  ) -> (body: [UInt8]?, sequence: UInt8, count: Int)? {
    let head = Array(bytes.prefix(4))
    let length = Int(head[0]) | Int(head[1]) << 8 | Int(head[2]) << 16  // bounded: three bytes
    guard (1...8192).contains(length), sequences.contains(head[3]) else { return nil }
    // bounded: three bytes
    let body = bytes.count >= 4 + length ? Array(bytes.dropFirst(4).prefix(length)) : nil
    return (body, head[3], 4 + length)  // bounded: three bytes
  }

  private static func mysqlError(_ body: [UInt8]) -> Int {
    body.count >= 3 ? Int(body[1]) | Int(body[2]) << 8 : 0  // bounded: two bytes
  }

  static func littleEndian(_ value: UInt32) -> [UInt8] { bigEndian(value.byteSwapped) }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
