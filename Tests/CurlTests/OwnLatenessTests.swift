// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Testing

@testable import Curl

/// libcurl's own limit, which ends a transfer before ours where the process was paused for longer than that.
@Suite(.timeLimit(.minutes(1))) struct OwnLatenessTests {
  private static let end = CURLE_OPERATION_TIMEDOUT

  /// What libcurl's limit means, so long after the start of a transfer with a timeout of 900 ms.
  @Test(
    arguments: [
      // The pause of a process: late by all beyond the timeout.
      (end, 13_422, nil, .late(.milliseconds(12_522))), (end, 1081, nil, .late(.milliseconds(181))),
      // A fifth of the timeout is not too late.
      (end, 1080, nil, nil),
      // The kernel gave the connection up, within the timeout.
      (end, 500, nil, nil),
      // Another end says nothing about time, and what ended it before counts.
      (CURLE_RECV_ERROR, 13_422, nil, nil), (CURLE_OK, 13_422, nil, nil),
      (end, 13_422, .deadline, .deadline), (end, 13_422, .flood, .flood),
    ] as [(CURLcode, Int, TransferStop?, TransferStop?)])
  func aPause(code: CURLcode, milliseconds: Int, before: TransferStop?, after: TransferStop?) async throws {
    let found = try await onLoop { loop -> TransferStop? in
      let transfer = try Self.transfer(loop)
      defer { transfer.handle.cleanUp() }
      transfer.stop = before
      transfer.noteLateness(of: code, at: transfer.started + .milliseconds(milliseconds))
      return transfer.stop
    }
    #expect(found == after)
  }

  /// Time that was held back moves the deadline, and what went beyond the most that is held is lateness too.
  @Test func heldTime() async throws {
    let found = try await onLoop { loop -> [TransferStop?] in
      let transfer = try Self.transfer(loop)
      defer { transfer.handle.cleanUp() }
      transfer.allowance.hold(.milliseconds(1000))
      transfer.noteLateness(of: Self.end, at: transfer.started + .milliseconds(1799))
      let within = transfer.stop
      transfer.noteLateness(of: Self.end, at: transfer.started + .milliseconds(11_800))
      return [within, transfer.stop]
    }
    #expect(found == [nil, .late(.milliseconds(10_100))])
  }

  /// A complete answer, by its end and the longest pause in it, of a timeout of 900 ms: up to a fifth of that it is the server's
  /// time. What is no probe keeps its answer.
  @Test(
    arguments: [
      (500, 0, nil), (1080, 0, nil), (1081, 0, 181), (3326, 2500, 2426), (500, 180, nil), (500, 181, 181),
    ] as [(Int, Int, Int?)])
  func aCompleteAnswer(ended: Int, paused: Int, late: Int?) async throws {
    let found = try await onLoop { loop -> [Duration?] in
      var times = TransferTimes()
      (times.ended, times.paused) = (.milliseconds(ended), .milliseconds(paused))
      return try [WorkOrigin.Kind.fileChecks, .asked, .delivery].map { kind in
        let transfer = try Self.transfer(loop, kind)
        defer { transfer.handle.cleanUp() }
        return transfer.lateness(of: times)
      }
    }
    let late = late.map { Duration.milliseconds($0) }
    #expect(found == [late, late, nil])
  }

  private static func transfer(_ loop: LoopThread, _ kind: WorkOrigin.Kind = .fileChecks) throws -> Transfer {
    var asked = TransferRequest(
      url: "http://good.test/", plan: .address(SocketAddress(.v4(0x7f00_0001), port: 80)),
      timeout: .milliseconds(900), goal: .headers)
    asked.origin = WorkOrigin(kind)
    return Transfer(
      TransferTicket(asked, submitted: .now), EasyHandle(try #require(curl_easy_init())),
      arrivals: ArrivalClock(loop), sockets: EngineSockets(on: loop))
  }
}
