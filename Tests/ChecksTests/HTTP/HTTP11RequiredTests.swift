// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import TestSupport
import Testing

/// Servers that refuse a request over HTTP/2 and answer it over HTTP/1.1 (RFC 9113 sections 7 and 8.7).
@Suite(.timeLimit(.minutes(2))) struct HTTP11RequiredTests {
  /// Over HTTP/2 each request is refused with the code 50 ms later. Prints the protocol of each connection.
  private static let script = """
    import socket, ssl, sys, threading, time
    port, certificate, key, code = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2", "http/1.1"])
    listener = socket.create_server(("127.0.0.1", port))

    def asked(data):
        place = 24
        while len(data) >= place + 9:
            if data[place + 3] == 1: return True
            place += 9 + int.from_bytes(data[place:place + 3], "big")
        return False

    def serve(raw):
        try:
            with context.wrap_socket(raw, server_side=True) as link:
                protocol, data = link.selected_alpn_protocol(), b""
                print(protocol, flush=True)
                if protocol == "h2":
                    link.sendall(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
                    while not asked(data): data += link.recv(65536)
                    time.sleep(0.05)
                    link.sendall(bytes([0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, code]))
                    while link.recv(65536): pass
                else:
                    while b"\\r\\n\\r\\n" not in data: data += link.recv(65536)
                    link.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\nneedle")
        except OSError: pass

    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """

  /// One probe of such a server, and the protocols of its connections.
  private func outcome(
    refusing code: Int, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> (ProbeOutcome, protocols: [String]) {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let (identity, port) = (try authority.issue("good"), try freePort())
      let program = folder.appending(path: "server.py")
      try Self.script.write(to: program, atomically: true, encoding: .utf8)
      let log = folder.appending(path: "server.log")
      let server = try RealServer(
        "/usr/bin/python3",
        [program.path, String(port), identity.certificate, identity.key, String(code)],
        debianPackage: "python3", log: log)
      defer { server.stop() }
      try await server.waitUntilListening(port: port)
      let check = try httpCheck("https://good.test:\(port)/") {
        $0.tls.caFile = authority.rootFile
        change(&$0)
      }
      let outcome = try await ProbeBench().http(check)
      let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
      return (outcome, lines)
    }
  }

  /// The request is repeated over HTTP/1.1 in the same attempt, whose time has both.
  @Test func whatHTTP2IsRefusedForIsAskedOverHTTP1() async throws {
    let (outcome, protocols) = try await outcome(refusing: 13)
    #expect(outcome.verdict == .ok, "\(outcome.verdict)")
    #expect(outcome.httpVersion == "1.1" && outcome.hops.count == 1)
    #expect(protocols.suffix(2) == ["h2", "http/1.1"])
    #expect((outcome.responseTime ?? .zero) >= .milliseconds(50))
  }

  /// A condition on the version is about what was spoken in the end.
  @Test func theVersionIsTheOneThatAnswered() async throws {
    let (outcome, _) = try await outcome(refusing: 13) { $0.expect.httpVersion = "2" }
    #expect(outcome.verdict.reason == .httpVersion && outcome.httpVersion == "1.1", "\(outcome.verdict)")
  }

  /// A check that insists on a version, or prefers HTTP/1.1, makes one connection.
  @Test func aVersionThatIsChosenIsKept() async throws {
    let (strict, protocols) = try await outcome(refusing: 13) { $0.httpVersion = "2" }
    #expect(strict.verdict.reason == .connectionClosed, "\(strict.verdict)")
    #expect(strict.verdict.message?.hasSuffix("set http_version to auto or 1.1") == true)
    #expect(Set(protocols) == ["h2"])
    let (judged, others) = try await outcome(refusing: 13) { $0.http.expect.bodyContains = ["needle"] }
    #expect(judged.verdict == .ok && Set(others) == ["http/1.1"], "\(judged.verdict)")
  }

  /// REFUSED_STREAM says nothing about the version.
  @Test(arguments: ["auto", "2"]) func aRefusedStreamIsNotRepeated(version: String) async throws {
    let (outcome, protocols) = try await outcome(refusing: 7) { $0.httpVersion = version }
    #expect(outcome.verdict.reason == .connectionClosed, "\(outcome.verdict)")
    #expect(outcome.verdict.message?.hasSuffix("processed the request (REFUSED_STREAM)") == true)
    #expect(outcome.verdict.message?.contains("http_version") == false)
    #expect(Set(protocols) == ["h2"])
  }
}
