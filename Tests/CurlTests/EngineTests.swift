// SPDX-License-Identifier: MIT

import Curl
import Foundation
import TestSupport
import Testing

/// Many transfers, their end, and what they leave behind.
@Suite(.timeLimit(.minutes(1))) struct EngineTests {
  private static let answer: @Sendable (LoopbackConnection) -> Void = { link in
    link.read(until: "\r\n\r\n")
    link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    link.waitForEnd()
  }

  @Test func cancellationEndsATransferAtOnce() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      try await withCurlEngine { engine in
        // By itself it would not end within the time of this test.
        let asked = request(server.port, timeout: .seconds(3600))
        let task = Task { try await engine.perform(asked) }
        try await until("the connection") { server.accepted >= 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
    }
  }

  @Test func aTaskThatWasCancelledBeforeStartsNothing() async throws {
    try await withLoopbackServer(script: Self.answer) { server in
      try await withCurlEngine { engine in
        let asked = request(server.port)
        let task = Task {
          while !Task.isCancelled { await Task.yield() }
          return try await engine.perform(asked)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let next = try await engine.perform(asked)
        #expect(next.text == "ok")
        #expect(server.accepted == 1)
      }
    }
  }

  @Test func shutdownCancelsWhatRunsAndRefusesWhatComes() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let engine = try CurlEngine()
      let asked = request(server.port, timeout: .seconds(60))
      let task = Task { try await engine.perform(asked) }
      try await until("the connection") { server.accepted >= 1 }
      await engine.shutdown()
      await #expect(throws: CancellationError.self) { try await task.value }
      await #expect(throws: CancellationError.self) { try await engine.perform(asked) }
      await engine.shutdown()
    }
  }

  @Test func fiveHundredAtOnceAndOneThatHangsDelaysNobody() async throws {
    try await withTemporaryDirectory { folder in
      try await withNginx(in: folder, [NginxSite(["return 200 'ok';"])]) { ports in
        try await withLoopbackServer(script: { $0.waitForEnd() }) { silent in
          try await withCurlEngine { engine in
            let hanging = request(silent.port, timeout: .seconds(3600))
            let stuck = Task { try await engine.perform(hanging) }
            try await until("the connection that hangs") { silent.accepted >= 1 }
            let asked = request(ports[0])
            let reports = try await withThrowingTaskGroup(of: TransferReport.self) { group in
              for _ in 0..<500 { group.addTask { try await engine.perform(asked) } }
              return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.count == 500)
            #expect(reports.allSatisfy { $0.outcome == .complete && $0.text == "ok" })
            // The other one hangs to this moment.
            stuck.cancel()
            await #expect(throws: CancellationError.self) { try await stuck.value }
          }
        }
      }
    }
  }

  @Test func noDescriptorOutlivesItsTransfer() async throws {
    try await withLoopbackServer(script: { link in
      _ = link.read()
      link.resetOnClose()
    }) { server in
      try await withCurlEngine { engine in
        let asked = [
          request(server.port, timeout: .seconds(5)),
          request(server.port, scheme: "https", timeout: .seconds(5)),
          request(server.port, scheme: "https", goal: .handshake, timeout: .seconds(5)),
          request(server.port, goal: .handshake, timeout: .seconds(5)),
        ]
        for _ in 0..<50 {
          let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
            for each in asked { group.addTask { try await engine.perform(each).failure != nil } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
          }
          // A plain connection alone is no failure.
          #expect(failures == 3)
        }
        // The engine still runs; the server's threads may need a moment to close their side.
        try await until("no connection left") { try heldConnections(port: server.port) == 0 }
      }
    }
  }

  @Test func everyTransferHasItsOwnConnection() async throws {
    try await withLoopbackServer(script: { link in
      while link.read(until: "\r\n\r\n").contains("GET") {
        guard link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") else { return }
      }
    }) { server in
      try await withCurlEngine { engine in
        for count in 1...3 {
          _ = try await engine.perform(request(server.port))
          #expect(server.accepted == count)
        }
      }
    }
  }
}
