// SPDX-License-Identifier: MIT

import Agent
import Basics
import Logging
import Monitoring
import Network
import Tracing

/// Traces of `once --trace` after a failure that the path may explain. The verdict stays as it is.
struct OnceTraces: Sendable {
  private let settings: TraceSettings

  init(_ settings: TraceSettings) { self.settings = settings }

  /// Asked for by a person: a check that says `trace: false` is traced as well.
  func add(_ engine: ProbeEngine) async -> @Sendable (CheckResult, MonitoringCheck) async -> CheckResult {
    let tracer = await engine.tracer(settings, Logger(label: "trace") { _ in SwiftLogNoOpLogHandler() })
    return { [settings] result, check in
      guard TraceRule.concerns(result), let target = TraceRule.target(of: result) else { return result }
      var request = TraceRequest(host: check.kind.dialled?.host ?? target.address.description, target: target)
      (request.method, request.findsNames) = (TraceRule.method(of: check), settings.names)
      guard let trace = try? await tracer.trace(request, each: nil) else { return result }
      var (traced, account) = (result, result.facts.account ?? ProbeAccount())
      account.trace = trace
      traced.facts.account = account
      return traced
    }
  }
}
