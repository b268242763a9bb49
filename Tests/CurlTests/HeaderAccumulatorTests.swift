// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Curl

/// Header lines, one by one, and the limits on them.
@Suite struct HeaderAccumulatorTests {
  private func steps(_ lines: [String]) -> ([HeaderAccumulator.Step], HeaderAccumulator) {
    var headers = HeaderAccumulator()
    return (lines.map { headers.take(Array($0.utf8)) }, headers)
  }

  @Test func keepsTheFinalAnswerOnly() {
    let (steps, headers) = steps([
      "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/2 204 \r\n", "a: \t b c \t\r\n",
      "Empty:\r\n", "\r\n",
      "Trailer: t\r\n",
    ])
    #expect(steps == [.more, .more, .interim, .more, .more, .more, .final, .more])
    #expect(headers.statusCode == 204)
    #expect(headers.httpVersion == "2")
    #expect(headers.fields == [HeaderField("a", "b c"), HeaderField("Empty", "")])
  }

  @Test(arguments: [
    ["HTTP/1.1\r\n"], ["HTTP/1.1 20 OK\r\n"], ["HTTP/1.1 2000 OK\r\n"], ["HTTP/1.1 abc OK\r\n"],
    ["HTTP/1.1 200 OK\r\n", " folded\r\n"], ["HTTP/1.1 200 OK\r\n", ": no name\r\n"],
    ["HTTP/1.1 200 OK\r\n", "no colon\r\n"], ["HTTP/1.1 200 OK\r\n", "a: b\rc\r\n"],
    ["HTTP/1.1 200 OK\r\n", "a: b\0\r\n"], ["a: b\r\n"], ["\r\n"],
    // A second status line, in the dress of a header, must not replace the first.
    ["HTTP/1.1 503 Down\r\n", "HTTP/Status: 200 OK\r\n"], ["HTTP/1.1 503 Down\r\n", "HTTP/1.1 200 OK\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length : 2\r\n"], ["HTTP/1.1 200 OK\r\n", "a b: c\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "content-length: 2\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length: 2x5\r\n"], ["HTTP/1.1 200 OK\r\n", "Content-Length: -1\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length: 2, 3\r\n"], ["HTTP/1.1 200 OK\r\n", "Content-Length: 2 2\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length: 2,\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length: 2\r\n", " 3\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length: 99999999999999999999\r\n"],
    ["HTTP/1.1 200 OK\r\n", "Content-Length:\r\n"],
    ["HTTP/x 200 OK\r\n"], ["HTTP/1.12 200 OK\r\n"], ["HTTP/ 200 OK\r\n"],
    ["HTTP/1.1 103 Early Hints\r\n", "\r\n", "a: b\r\n"], ["HTTP/1.1 103 Early Hints\r\n", "\r\n", "\r\n"],
  ])
  func brokenLinesAreMalformed(lines: [String]) {
    #expect(steps(lines).0.last == .malformed)
  }

  /// RFC 9112 section 5.2: a folded line goes on with the field before it, and is none of its own.
  @Test func foldedLinesAreUnfolded() {
    let folded = Array(repeating: "\tmore\r\n", count: 300)
    let (steps, headers) = steps(
      ["HTTP/1.1 200 OK\r\n", "a: b \t\r\n", " \t c: d\r\n", "e:\r\n", " \r\n", "  f\r\n", "g: h\r\n"]
        + folded + ["Content-Length: 2\r\n", " \r\n", "\r\n"])
    #expect(steps.dropLast().allSatisfy { $0 == .more } && steps.last == .final)
    #expect(headers.fields.map(\.name) == ["a", "e", "g", "Content-Length"])
    #expect(headers.block.first("a") == "b c: d")
    #expect(headers.block.first("e") == "f")
    #expect(headers.block.first("g")?.hasPrefix("h more more ") == true)
    #expect(headers.announced == 2)
  }

  /// Of a field that frames the body libcurl reads each line for itself.
  @Test(arguments: [
    "Transfer-Encoding: gzip,", "transfer-encoding:", "Content-Length: 1", "CONTENT-LENGTH: 1,",
  ])
  func whatFramesTheBodyIsNotFolded(field: String) {
    #expect(steps(["HTTP/1.1 200 OK\r\n", "\(field)\r\n", " 1\r\n"]).0.last == .malformed)
  }

  @Test(arguments: [
    ("text/event-stream", true), ("TEXT/Event-Stream; charset=utf-8", true),
    ("multipart/x-mixed-replace ;boundary=a", true), ("text/event-streams", false),
    ("text/html; a=text/event-stream", false), ("", false),
  ])
  func streamsAreKnownByTheirType(type: String, isStream: Bool) {
    let headers = steps(["HTTP/1.1 200 OK\r\n", "Content-Type: \(type)\r\n", "\r\n"]).1
    #expect(headers.isStream == isStream)
  }

  /// Of the answer itself, by its first field of that name, also where its line goes on.
  @Test func theTypeOfWhichAnswer() {
    let stream = "Content-Type: text/event-stream\r\n"
    let (start, end) = ("HTTP/1.1 200 OK\r\n", "\r\n")
    #expect(steps([start, stream, "Content-Type: text/html\r\n", end]).1.isStream)
    #expect(!steps([start, "content-type: text/html\r\n", stream, end]).1.isStream)
    #expect(!steps(["HTTP/1.1 103 Early Hints\r\n", stream, end, start, end]).1.isStream)
    #expect(steps([start, stream, " ; charset=utf-8\r\n", end]).1.isStream)
    #expect(steps([start, "Content-Type: text/event-\r\n", " stream\r\n", end]).1.isStream)
    #expect(!steps([start, stream, " s\r\n", end]).1.isStream)
  }

  @Test func theSameLengthTwiceIsOneLength() {
    let lines = ["HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "content-length:\t5 \r\n", "\r\n"]
    #expect(steps(lines).0 == [.more, .more, .more, .final])
  }

  /// Those of interim answers and trailers included, status lines and blank ones not.
  @Test(arguments: [(197, HeaderAccumulator.Step.more), (198, .tooLarge)])
  func twoHundredFieldsAreTheLimit(count: Int, last: HeaderAccumulator.Step) {
    let fields = Array(repeating: "a: b\r\n", count: count)
    let lines =
      ["HTTP/1.1 103 Early Hints\r\n", "a: b\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"] + fields
      + ["a: b\r\n", "\r\n", "Trailer: t\r\n"]
    #expect(steps(lines).0.last == last)
  }

  @Test(arguments: [(64 * 1024, HeaderAccumulator.Step.more), (64 * 1024 + 1, .tooLarge)])
  func sixtyFourKilobytesAreTheLimit(bytes: Int, last: HeaderAccumulator.Step) {
    let status = "HTTP/1.1 200 OK\r\n"
    let rest = String(repeating: "v", count: bytes - status.utf8.count - 5)
    #expect(steps([status, "a: \(rest)\r\n"]).0.last == last)
  }

  @Test(arguments: [(20, HeaderAccumulator.Step.interim), (21, .tooLarge)])
  func twentyInterimAnswersAreTheLimit(count: Int, last: HeaderAccumulator.Step) {
    let lines = Array(repeating: ["HTTP/1.1 103 Early Hints\r\n", "\r\n"], count: count).flatMap { $0 }
    #expect(steps(lines).0.last == last)
  }

  @Test(arguments: [
    ("Content-Length: 3", true, false), ("Transfer-Encoding: Chunked", true, false),
    ("Transfer-Encoding: chunked, chunked", true, false), ("Transfer-Encoding: identity", false, false),
    ("Transfer-Encoding:", false, false), ("Transfer-Encoding: gzip, chunked", true, true),
    ("Transfer-Encoding: xchunked", false, true), ("Server: chunked", false, false),
  ])
  func whatSaysWhereTheAnswerEnds(field: String, isFramed: Bool, isForeign: Bool) {
    let headers = steps(["HTTP/1.1 200 OK\r\n", "\(field)\r\n", "\r\n"]).1
    #expect(headers.isFramed == isFramed)
    #expect(headers.hasForeignCoding == isForeign)
  }

  /// RFC 9112 section 6.3.
  @Test func aLengthThatIsSaidTwiceIsOne() {
    let (steps, headers) = steps([
      "HTTP/1.1 200 OK\r\n", "Content-Length: 2, 2\r\n", "content-length:2,\t2 , 2\r\n",
    ])
    #expect(steps.allSatisfy { $0 == .more })
    #expect(headers.isFramed)
  }

  @Test func aReferenceKeepsTheBytesThatAreNoText() {
    var headers = HeaderAccumulator()
    for line in [
      Array("HTTP/1.1 302 Found\r\n".utf8), Array("Location: /caf".utf8) + [0xe9] + Array("?a\r\n".utf8),
    ] {
      _ = headers.take(line)
    }
    #expect(headers.block.reference("location") == "/caf%E9?a")
    #expect(
      steps(["HTTP/1.1 302 Found\r\n", "location: /caf\u{e9}\r\n"]).1.block.reference("Location")
        == "/caf\u{e9}")
    #expect(headers.block.reference("x") == nil)
    #expect(
      steps(["HTTP/1.1 302 Found\r\n", "location: /my file.html\r\n"]).1.block.reference("Location")
        == "/my%20file.html")
  }

  @Test func valuesAreFoundByNameInAnyCase() {
    let lines = [
      "HTTP/1.1 302 Found\r\n", "Set-Cookie: a=1\r\n", "LOCATION:\t /x \r\n", "set-cookie:b\r\n",
      "Empty:\r\n", "\r\n",
    ]
    let headers = steps(lines).1
    #expect(headers.block.values("SET-COOKIE") == ["a=1", "b"])
    #expect(headers.block.first("location") == "/x")
    #expect(headers.block.first("empty") == "")
    #expect(headers.block.first("set") == nil)
    #expect(headers.isRedirect)
    #expect(HeaderBlock(headers.fields).fields == headers.fields)
  }
}
