// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Monitoring
import StatusServer
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// A page whose address is in use comes back by itself, and is a problem until then.
@Suite struct ListenersTests {
  private let page = Listeners.Listener(name: "public page", key: "status.public.listen")
  private let place = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
  private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private var inUse: StatusServerError { .cannotListen(place, "Address already in use") }

  /// One second, then twice as long each time, up to a minute; the problem lasts from the first failure to the success.
  @Test func aTakenAddressIsTriedAgain() async throws {
    let clock = FakeClock()
    let listeners = Listeners(log: quiet, time: clock.passing)
    let began = clock.wall
    let seen = Mutex<[[Notice]]>([])
    await listeners.keep(page) { [place, inUse] onListening in
      let count = seen.withLock { seen in
        seen.append(listeners.notices)
        return seen.count
      }
      if count < 10 { throw inUse }
      onListening(place)
    }
    #expect(clock.sleeps == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    let notice = Notice.critical(
      "public page",
      "the public page is not available, probing continues: cannot listen on 127.0.0.1:8080: Address already in use",
      hint:
        "see what listens there, or choose another status.public.listen and restart; the agent tries again by itself",
      since: began)
    #expect(seen.withLock { $0 } == [[]] + Array(repeating: [notice], count: 9))
    #expect(listeners.notices == [] && listeners.shortcomings == [])
  }

  /// What to do next depends on why.
  @Test func nextSteps() {
    let socket = ListenAddress.unix(path: "/run/a.sock")
    func hint(_ place: ListenAddress, _ code: Int32?) -> String {
      StatusServerError.cannotListen(place, "why", code: code).hint("status.key")
    }
    let again = "; the agent tries again by itself"
    let look = "see what listens there, or choose another status.key and restart" + again
    let folder =
      "make its directory one that this agent may write, or choose another status.key and restart" + again
    #expect([EROFS, EACCES, EPERM, ENOENT, ENOSPC].allSatisfy { hint(socket, $0) == folder })
    #expect([EADDRINUSE, nil].allSatisfy { hint(socket, $0) == look && hint(place, $0) == look })
    #expect(
      hint(place, EACCES)
        == "choose a port from 1024 on in status.key and restart, or grant CAP_NET_BIND_SERVICE" + again)
    #expect([EMFILE, ENFILE].allSatisfy { hint(place, $0) == "raise LimitNOFILE (ulimit -n)" + again })
  }

  /// `/readyz` has a line of each; one that was lost while it served is tried after a second.
  @Test func aListenerThatIsLost() async {
    let clock = FakeClock()
    let listeners = Listeners(log: quiet, time: clock.passing)
    let lines = Mutex<[String]>([])
    let tries = Mutex(0)
    await listeners.keep(page) { [place, inUse] onListening in
      let count = tries.withLock { tries in
        tries += 1
        return tries
      }
      lines.withLock { $0 = listeners.shortcomings }
      switch count {
      case 1, 2: throw inUse
      case 3:
        onListening(place)
        throw StatusServerError.cannotListen(place, "its socket was closed")
      default: return
      }
    }
    #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(1)])
    #expect(
      lines.withLock { $0 } == [
        "public page: the public page is not available, probing continues: "
          + "cannot listen on 127.0.0.1:8080: its socket was closed"
      ])
  }

  /// No try follows the end of the agent.
  @Test func itEndsWithItsTask() async {
    let clock = FakeClock()
    let listeners = Listeners(log: quiet, time: clock.time)
    let task = Task { [page, inUse] in await listeners.keep(page) { _ in throw inUse } }
    await clock.someoneSleeps()
    #expect(listeners.notices.map(\.place.text) == ["public page"])
    task.cancel()
    await task.value
  }
}
