// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Network
@testable import Monitoring
@testable import Tracing

/// What the network brings to a trace: control messages of the error queue, what an error quotes, labels behind it, and
/// the file of networks. The first byte chooses the family, the second where the rest is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let version = bytes[0] & 1 == 0 ? 4 : 6
  let rest = bytes.dropFirst(2)
  let cut = rest.startIndex + min(rest.count, Int(bytes[1]))
  let (control, data) = (rest[..<cut], rest[cut...])

  let facts = PacketNotes(Array(control))
  var book = TraceBook(method: .udp, flows: 2, maxTTL: 8)
  if let failure = facts.failure,
    let meaning = AnswerMeaning(failure, version: version, isTarget: bytes[0] & 2 == 0)
  {
    let from = failure.offender ?? .v4(1)
    var reply = TraceReply(
      from: from, meaning: meaning, roundTrip: .milliseconds(1), hopsLeft: facts.hopsLeft)
    reply.labels = LabelQuote.labels(in: data, at: failure.extensions, orAt: Int(bytes[1]))
    precondition(reply.labels.count <= LabelQuote.limit)
    for ttl in 1...4 { book.heard(TracePacket(flow: ttl & 1, ttl: ttl), reply) }
  }
  let request = TraceRequest(host: "h", target: SocketAddress(.v4(9), port: 1))
  let verdict = TraceVerdict(request: request, book: book, circle: nil)
  let trace = RouteTrace(
    host: "h", target: request.target, startedAt: Timestamp(seconds: 0), method: .udp, why: "", flows: 2,
    hops: verdict.hops, end: verdict.end)
  precondition(RouteTraceText(trace, width: 80).lines.allSatisfy { $0.columns <= 80 })

  let isICMP = bytes[0] & 4 == 0
  let body = TraceBody(
    version: version, nonce: 0x0102_0304_0506_0708, isICMP: isICMP, identifier: bytes[0] & 8 == 0 ? nil : 7)
  _ = body.sequence(quoted: data)
  // Nothing but our own echo is a reply: who has not seen the nonce cannot make one.
  if isICMP, body.sequence(replied: data) != nil {
    precondition(data.dropFirst(10).prefix(8).elementsEqual([1, 2, 3, 4, 5, 6, 7, 8]))
  }
  if let table = try? NetworkTable(Array(rest)) { _ = table.name(of: .v4(0x0a00_0001)) }
  return 0
}
