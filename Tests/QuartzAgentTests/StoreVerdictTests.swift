// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import StatusServer
import TestSupport
import Testing

@testable import QuartzAgent

/// What a running agent says of its store, and where the exit code of `spool check` comes from.
@Suite(.timeLimit(.minutes(1))) struct StoreVerdictTests {
  private func verdict(
    of headers: String, text: String, from host: String = "127.0.0.1"
  ) async throws -> Bool {
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(
        "HTTP/1.1 200 OK\r\nServer: quartz-agent\r\n\(headers)Content-Length: \(text.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(text)")
    }
    return try await withLoopbackServer(script: script) { server in
      try await AgentClient(place: "\(host):\(server.port)").checkStore().isSound
    }
  }

  /// The field decides, whatever the words are.
  @Test func theVerdictIsNotReadOutOfTheText() async throws {
    #expect(try await verdict(of: "X-Store-Sound: yes\r\n", text: "DAMAGED\n"))
    #expect(try await !verdict(of: "X-Store-Sound: no\r\n", text: "sound\n"))
  }

  /// Who writes `status.listen: localhost:9797` also writes `--socket localhost:9797`.
  @Test(arguments: ["localhost", "LOCALHOST", "localhost."]) func localhostIsAPlace(host: String) async throws
  {
    #expect(try await verdict(of: "X-Store-Sound: yes\r\n", text: "sound\n", from: host))
  }

  /// Any other name could lead anywhere.
  @Test(arguments: ["foo.localhost:1", "foo.example:1", "9797", ""]) func anotherNameIsNone(place: String) {
    let error = #expect(throws: CommandFailure.self) { _ = try AgentClient(place: place) }
    #expect(error?.status == 64)
  }

  /// As the command line and the file write it.
  @Test func aSocketMayBearItsKind() throws {
    #expect(try AgentClient(place: "unix:/run/a.sock").address == .unix(path: "/run/a.sock"))
    #expect(try AgentClient(place: "unix:a.sock").address == .unix(path: "a.sock"))
    #expect(throws: CommandFailure.self) { _ = try AgentClient(place: "unix:") }
  }

  /// Over the port of a configuration only its own agent is asked: another one's mark, or none, is refused.
  @Test(arguments: ["own", "00000000", nil] as [String?]) func anotherAgentIsRefused(mark: String?)
    async throws
  {
    let socket = ListenAddress.unix(path: "/nowhere/Y/agent.sock")
    let header = try mark.map {
      "X-Agent-Mark: \($0 == "own" ? try #require(AgentMark.of(socket)) : $0)\r\n"
    }
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(
        "HTTP/1.1 200 OK\r\nServer: quartz-agent\r\n\(header ?? "")Content-Length: 6\r\nConnection: close\r\n\r\nalive\n"
      )
    }
    try await withLoopbackServer(script: script) { server in
      var settings = StatusSettings()
      settings.listen = .tcp(host: "127.0.0.1", port: server.port)
      settings.socket = socket
      let client = try #require(AgentClient(settings))
      #expect(try await client.isThere() == (mark == "own"))
      if mark == "own" {
        #expect(try await client.ask("/api/v1/summary") == "alive\n")
        return
      }
      let error = await #expect(throws: CommandFailure.self) { _ = try await client.ask("/api/v1/summary") }
      #expect(
        error?.message
          == "another agent answers at 127.0.0.1:\(server.port): the one of this configuration has the "
          + "socket unix:/nowhere/Y/agent.sock, which is not there")
      #expect(error?.status == ExitStatus.unknown)
      #expect(try await client.hand([], to: "/api/v1/spool/submit") == nil)
    }
  }

  /// An agent of an earlier version says it in words only: that is no verdict.
  @Test func anAgentWithoutTheFieldGivesNoVerdict() async throws {
    let error = await #expect(throws: CommandFailure.self) {
      _ = try await verdict(of: "", text: "sound        1 segment\n")
    }
    #expect(error?.status == ExitStatus.unknown)
  }
}
