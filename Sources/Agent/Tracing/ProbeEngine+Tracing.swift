// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import Network
import Tracing

extension ProbeEngine {
  /// The tracer of paths. A file of networks that cannot be read leaves hops without them.
  package func tracer(_ settings: TraceSettings, _ log: Logger) async -> any RouteTracing {
    Tracer(
      names: settings.names ? resolver : nil, networks: await Self.networks(settings.networks, log),
      time: time)
  }

  private static func networks(_ path: String?, _ log: Logger) async -> NetworkTable {
    guard let path else { return NetworkTable() }
    let problem: String
    do throws(UnreadableFile) {
      let bytes = try await onThread {
        Result { () throws(UnreadableFile) in try readWhole(path, limit: NetworkTable.sizeLimit) }
      }
      .get()
      do throws(NetworkTable.Problem) { return try NetworkTable(bytes) } catch { problem = "\(error)" }
    } catch {
      problem = error.words
    }
    log.warning(
      "routes are shown without network names: \(path) cannot be used", metadata: ["problem": "\(problem)"])
    return NetworkTable()
  }
}
