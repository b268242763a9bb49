// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Network
@testable import Monitoring

/// The parser of DNS messages, with everything it can be asked to print, and the two conversations that take what comes by
/// the wire. A trap, an overrun and a hang are found by the engine; the rest is asserted here.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  parse(bytes)
  converse(bytes)
  return 0
}

private func parse(_ bytes: [UInt8]) {
  let clock = Instant.now
  guard let message = try? DNSMessage(bytes) else { return }
  // What a message can cost is bounded by its size: 64 KiB of pointers to one long name is the worst.
  precondition(clock.duration(to: .now) < .seconds(5))
  precondition(message.answers.count <= bytes.count / 11)
  precondition(message.extendedErrors.count <= 4)
  for record in message.answers {
    check(record.name)
    precondition(
      record.data.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }, "presentation text is printable ASCII")
    precondition(record.ttl <= Int32.max)
    if case .name(let name) = record.value { check(name) }
  }
  // What we would ask is read back as it was.
  guard let question = message.question else { return }
  check(question.name)
  let query = DNSQuery(id: message.id, question: question, recursion: true, edns: true)
  guard let again = try? DNSMessage(query.bytes) else { preconditionFailure("our own query is malformed") }
  precondition(again.id == message.id && again.question == question)
}

private func check(_ name: DNSName) {
  precondition((1...255).contains(name.wire.count) && name.wire.last == 0)
  let text = name.description
  precondition(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
  // Where nothing is escaped, the text is the name.
  if !text.utf8.contains(0x5c) { precondition(DNSName(text) == name) }
}

/// The first byte cuts the rest into pieces, as TCP may.
private func converse(_ bytes: [UInt8]) {
  guard let size = bytes.first, let question = question(in: bytes) else { return }
  let now = Instant.now
  let query = DNSQuery(id: UInt16(bytes.count), question: question, recursion: true, edns: true)
  var datagrams = DNSDatagramConversation(first: query, patience: .seconds(1)) { 0x6162 }
  _ = datagrams.opened(at: now)
  _ = datagrams.received(bytes[...], from: nil, at: now)
  _ = datagrams.woke(at: now)
  _ = datagrams.received(bytes[...], from: nil, at: now)
  if let answer = datagrams.answer { precondition(answer == bytes && answer.count >= 12) }
  var stream = DNSStreamConversation(query: query)
  _ = stream.opened(at: now)
  var rest = bytes.dropFirst()
  while !rest.isEmpty, stream.answer == nil, !stream.isMalformed {
    let piece = rest.prefix(Int(size) + 1)
    _ = stream.received(piece, from: nil, at: now)
    rest = rest.dropFirst(piece.count)
  }
  if let answer = stream.answer { precondition(query.accepts(answer[...])) }
}

private func question(in bytes: [UInt8]) -> DNSQuestion? {
  guard bytes.count > 14 else { return nil }
  var reader = DNSReader(bytes, at: 12)
  guard let name = try? reader.name() else { return nil }
  return DNSQuestion(name: name, type: .a)
}
