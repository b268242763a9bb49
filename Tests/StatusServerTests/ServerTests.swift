// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import History
import Logging
import Monitoring
import Status
import StatusServer
import StatusSupport
import TestSupport
import Testing

/// The server on real sockets: who gets an answer, what a bad request does, how it ends.
@Suite struct ServerTests {
  @Test func healthEndpoints() async throws {
    var source = try sampleSource()
    source.ready = false
    try await withServer(source) { address in
      let live = try await get(address, "/livez")
      #expect(live.status == 200 && live.body == "alive\n")
      let ready = try await get(address, "/readyz")
      #expect(ready.status == 503 && ready.body == "starting\n")
    }
  }

  /// A page in a browser whose own name leads to 127.0.0.1 must not read the status.
  @Test(arguments: [
    ("localhost", 200), ("127.0.0.1:9797", 200), ("[::1]:80", 200), ("LOCALHOST:1", 200),
    ("evil.example", 421),
    ("localhost.evil.example", 421), ("127.0.0.1.evil.example:9797", 421), ("", 421),
  ])
  func onlyKnownHostNamesAreServed(_ host: String, _ status: Int) async throws {
    try await withServer(try sampleSource()) { address in
      let answer = try await get(address, "/api/v1/summary", host: host)
      #expect(answer.status == status)
    }
  }

  @Test func aUnixSocketServesAnyHostAndGoesAway() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "agent.sock").path
      // What a killed agent leaves behind.
      let stale = try StaleSocket(path)
      stale.close()
      try await withServer(try sampleSource(), listen: .unix(path: path)) { address in
        let answer = try await get(address, "/livez", host: "anything")
        #expect(answer.status == 200)
        var attributes = stat()
        #expect(stat(path, &attributes) == 0)
        #expect(attributes.st_mode & 0o777 == 0o660)
      }
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func anotherKindOfFileIsNotReplaced() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appending(path: "notes")
      try Data("mine".utf8).write(to: file)
      let error = await #expect(throws: StatusServerError.self) {
        try await withServer(try sampleSource(), listen: .unix(path: file.path)) { _ in }
      }
      #expect(
        error?.description.hasSuffix(
          ": there is a file of another kind at this path; remove it or choose another status.listen") == true
      )
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }
  }

  @Test(arguments: ["0.0.0.0", "192.0.2.1", "::", "agent.example"])
  func listeningBeyondLoopbackIsRefused(_ host: String) async throws {
    let listen = ListenAddress.tcp(host: host, port: 0)
    await #expect(throws: StatusServerError.notLoopback(listen)) {
      try await withServer(try sampleSource(), listen: listen) { _ in }
    }
  }

  @Test func anAddressInUseIsAnErrorThatSaysSo() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { other in
      let listen = ListenAddress.tcp(host: "127.0.0.1", port: other.port)
      let error = await #expect(throws: StatusServerError.self) {
        try await withServer(try sampleSource(), listen: listen) { _ in }
      }
      #expect(error?.description.hasPrefix("cannot listen on 127.0.0.1:\(other.port)") == true)
    }
  }

  @Test(arguments: [
    ("GET /%zz HTTP/1.1\r\nHost: localhost\r\n", 400), ("GET /%ff HTTP/1.1\r\nHost: localhost\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n", 405),
    ("DELETE /api/v1/checks HTTP/1.1\r\nHost: localhost\r\n", 405),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n", 413),
    ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n", 404),
    ("GET /debug HTTP/1.1\r\nHost: localhost\r\n", 404), ("nonsense\r\n", 400),
    ("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n", 404),
    ("GET /api/v1/checks/x HTTP/1.1\r\nHost: localhost\r\n", 404),
    ("GET /api/v1/checks?limit=0 HTTP/1.1\r\nHost: localhost\r\n", 400),
    ("GET /api/v1/checks?limit=99999999999999999999 HTTP/1.1\r\nHost: localhost\r\n", 400),
    ("GET /?state=sideways HTTP/1.1\r\nHost: localhost\r\n", 400),
    ("GET /?page=-1 HTTP/1.1\r\nHost: localhost\r\n", 400),
    ("GET /api/v1/status.txt?width=9 HTTP/1.1\r\nHost: localhost\r\n", 400),
  ])
  func badRequestsAreAnswered(_ head: String, _ status: Int) async throws {
    try await withServer(try sampleSource()) { address in
      let response = try await exchange(
        address, head + "Connection: close\r\n\r\n" + (status == 413 ? "abc" : ""))
      #expect(response.status == status)
      // And the next one is served.
      let next = try await get(address, "/livez")
      #expect(next.status == 200)
    }
  }

  @Test func oversizedRequestsAreRefused() async throws {
    try await withServer(try sampleSource()) { address in
      #expect(try await get(address, "/" + String(repeating: "a", count: 3000)).status == 414)
      let fat = String(repeating: "a", count: 20_000)
      let response = try await exchange(
        address, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Fat: \(fat)\r\nConnection: close\r\n\r\n")
      #expect(response.status != 200)
      let next = try await get(address, "/livez")
      #expect(next.status == 200)
    }
  }

  @Test(arguments: ["/", "/api/v1/summary", "/metrics", "/livez", "/nothing"])
  func everyAnswerBearsTheSecurityHeaders(_ target: String) async throws {
    try await withServer(try sampleSource()) { address in
      let response = try await get(address, target)
      #expect(response.header("X-Content-Type-Options") == "nosniff")
      #expect(response.header("Cache-Control") == "no-store")
      #expect(response.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
      #expect(response.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
      #expect(response.header("Server") == "quartz-agent")
      let head = try await get(address, target, method: "HEAD")
      #expect(head.status == response.status)
      #expect(head.body.isEmpty)
      #expect(head.header("Content-Length") == String(response.body.utf8.count) || target == "/")
    }
  }

  /// A client that sends half a request, and one that keeps its connection, do not hold up the end.
  @Test func itEndsWithOpenConnections() async throws {
    let clock = ContinuousClock()
    let (half, address) = try await withServer(try sampleSource()) { address in
      let half = try connected(address)
      let bytes = Array("GET / HTTP/1.1\r\nHost: loc".utf8)
      #expect(write(half, bytes, bytes.count) == bytes.count)
      let kept = try connected(address)
      let whole = Array("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      #expect(write(kept, whole, whole.count) == whole.count)
      var buffer = [UInt8](repeating: 0, count: 4096)
      #expect(recv(kept, &buffer, buffer.count, 0) > 0)
      return (half, (kept, address, clock.now))
    }
    #expect(clock.now - address.2 < .seconds(8))
    close(half)
    close(address.0)
    #expect(throws: POSIXFailure.self) { try connected(address.1) }
  }

  @Test func cancelledBeforeItStartsIsQuiet() async throws {
    let source = try sampleSource()
    let task = Task {
      let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      try await LocalStatusServer(listen: .tcp(host: "127.0.0.1", port: 0), source: source, logger: silent)
        .run()
    }
    task.cancel()
    try await task.value
  }
}

/// A unix socket bound and abandoned.
private struct StaleSocket {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var storage = sockaddr_un()
    storage.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw POSIXFailure("bind", errno) }
  }

  func close() { Glibc.close(descriptor) }
}
