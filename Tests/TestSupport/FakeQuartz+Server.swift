// SPDX-License-Identifier: MIT

/// Runs `body` with the fake backend on a loopback port, which it is told.
package func withFakeQuartz<Value>(
  _ fake: FakeQuartz, _ body: (UInt16) async throws -> Value
) async throws -> Value {
  try await withLoopbackServer(script: { serve(fake, $0) }) { try await body($0.port) }
}

/// One request a connection, HTTP/1.1.
private func serve(_ fake: FakeQuartz, _ connection: LoopbackConnection) {
  guard let request = readRequest(connection) else { return }
  switch fake.answer(request) {
  case .hangUp: return
  case .hold: holdAnswer(connection)
  case .respond(let status, let headers, let body):
    var head = "HTTP/1.1 \(status) Status\r\nconnection: close\r\ncontent-length: \(body.count)\r\n"
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    connection.write(Array((head + "\r\n").utf8) + body)
  }
}

/// Announces 16 MB, sends one of them and holds.
package func holdAnswer(_ connection: LoopbackConnection) {
  connection.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n")
  connection.write([UInt8](repeating: 0x20, count: 1_000_000))
  connection.waitForEnd()
}

private func readRequest(_ connection: LoopbackConnection) -> FakeRequest? {
  let end = Array("\r\n\r\n".utf8)
  var bytes: [UInt8] = []
  var scanned = 0
  var headEnd: Int?
  while headEnd == nil {
    let more = connection.read()
    if more.isEmpty { return nil }
    bytes += more
    while scanned + 4 <= bytes.count {
      if Array(bytes[scanned..<scanned + 4]) == end {
        headEnd = scanned
        break
      }
      scanned += 1
    }
  }
  guard let headEnd else { return nil }
  let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
  let words = (lines.first ?? "").split(separator: " ")
  guard words.count == 3 else { return nil }
  var headers: [String: String] = [:]
  for line in lines.dropFirst() {
    let sides = line.split(separator: ":", maxSplits: 1)
    guard sides.count == 2 else { return nil }
    headers[sides[0].lowercased()] = String(sides[1].drop { $0 == " " })
  }
  let length = headers["content-length"].flatMap { Int($0) } ?? 0
  while bytes.count < headEnd + 4 + length {
    let more = connection.read()
    if more.isEmpty { return nil }
    bytes += more
  }
  return FakeRequest(
    method: String(words[0]), target: String(words[1]), headers: headers,
    body: Array(bytes[(headEnd + 4)..<(headEnd + 4 + length)]))
}
