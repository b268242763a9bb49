// SPDX-License-Identifier: MIT

import Network
import TestSupport

extension NetworkNamespace {
  /// A reactor whose sockets live in an empty network namespace that was set up by the shell lines. Threads inherit
  /// the namespace of the thread that makes them, and the namespace ends with its last thread and socket.
  package static func reactor(_ lines: [String]) async throws -> Reactor {
    try await run(lines) { try Reactor() }
  }
}
