// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Figures for the metrics that are in no snapshot: put together for a scrape only.
package struct MetricsView: Sendable {
  package var histograms = ResultHistograms()
  /// Of the latest scheduled result that is kept, by check.
  package var facts: [UniqueID: MetricFacts] = [:]
  /// Tags that become labels; see `TagLabels`.
  package var labels: [String] = []
  package var process: ProcessFigures?
  package var reloads: ReloadFigures?
  /// `nil` where `/probe` is off.
  package var probes: ProbeFigures?
  /// `nil` where traces are off.
  package var traces: TraceFigures?
  /// Of checks that are not configured any more.
  package var gone = GoneFigures()
  /// Files of the state directory that could not be written last.
  package var unwritten = 0

  package init() {}

  /// The part that the history knows.
  package init(_ history: HistoryStore) {
    histograms = history.histograms
    facts = history.latestScheduled(MetricFacts.init)
  }
}

/// The numeric facts of a result.
package struct MetricFacts: Hashable, Sendable {
  package var statusCode: Int?
  package var leafNotAfter: Timestamp?
  package var pathNotAfter: Timestamp?
  /// Lost share, 0 to 1.
  package var pingLoss: Double?
  /// The smallest of the answer's, in seconds.
  package var dnsTTL: Int64?
  package var timings: Timings

  package init(_ result: CheckResult) {
    let facts = result.facts
    statusCode = facts.statusCode
    (leafNotAfter, pathNotAfter) = (facts.tls?.notAfter, facts.tls?.pathNotAfter)
    pingLoss = facts.ping.flatMap { $0.sent > 0 ? $0.loss / 100 : nil }
    dnsTTL = facts.dns?.answers.map { Int64($0.ttl) }.min()
    timings = facts.timings
  }
}

/// The kernel's figures of this process.
package struct ProcessFigures: Hashable, Sendable {
  /// User and system, seconds.
  package var processorSeconds: Double
  package var residentBytes: Int64?
  package var virtualBytes: Int64?
  package var openDescriptors: Int?
  package var maxDescriptors: Int?
  package var threads: Int?

  package init(
    processorSeconds: Double, residentBytes: Int64?, virtualBytes: Int64?, openDescriptors: Int?,
    maxDescriptors: Int?, threads: Int?
  ) {
    self.processorSeconds = processorSeconds
    (self.residentBytes, self.virtualBytes, self.threads) = (residentBytes, virtualBytes, threads)
    (self.openDescriptors, self.maxDescriptors) = (openDescriptors, maxDescriptors)
  }
}

/// How reading the configuration went; the start is the first success.
package struct ReloadFigures: Hashable, Sendable {
  package var taken = 0
  package var refused = 0
  package var wasLastRefused = false
  package var lastSuccess: Timestamp

  package init(lastSuccess: Timestamp) { self.lastSuccess = lastSuccess }
}

/// Figures of `/probe` since the start.
package struct ProbeFigures: Hashable, Sendable {
  package var succeeded = 0
  package var failed = 0
  /// Asked for by a module that is not known.
  package var unknown = 0
  /// Asked for by a module that asks for what is not done here.
  package var refused = 0
  /// Not begun, because too many were under way.
  package var busy = 0
  package var running = 0
  package var limit: Int
  /// The file of the modules could be read the last time.
  package var isFileRead = false
  /// When it could be read; nil: never.
  package var readAt: Timestamp?

  package init(limit: Int) { self.limit = limit }
}
