// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A first agent.yaml for targets, with comments: what `quartz-agent init` writes.
package struct StarterConfig: Sendable {
  /// `https://host/path`, `host:port`, a bare host, or any target of `once`.
  package var targets: [String]
  package var interval: Duration
  /// host:port of the status page; nil: a socket in the state directory.
  package var listen: String?

  /// Targets of one file at most: more belong in files.
  package static let most = 1000

  package init(targets: [String], interval: Duration = .seconds(60), listen: String? = nil) {
    (self.targets, self.interval, self.listen) = (targets, interval, listen)
  }

  /// The file, which `ConfigLoader` takes as it is.
  ///
  /// - Throws: the first target that is none, or what the loader says of the whole.
  package func text(patterns: PatternRule) throws(AdHocTargetError) -> String {
    let sources = ConfigSources(
      environment: [:], secrets: .none, hostName: "init", patterns: patterns)
    var text = head
    var names: Set<ByteText> = []
    for target in targets {
      let given = try GivenMap(adHoc: Self.target(of: target))
      // Twice the same on the command line is a slip of the hand.
      guard names.insert(ByteText(given["name"]?.text ?? "")).inserted else { continue }
      // Its problem names the target.
      _ = try MonitoringCheck(adHoc: Self.target(of: target), keys: nil, sources: sources)
      text += check(given)
    }
    do throws(ConfigErrors) {
      _ = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
    } catch {
      let first = error.problems.first
      throw AdHocTargetError(
        message: first?.message ?? "the targets make no configuration", hint: first?.hint)
    }
    return text
  }

  /// A target as `once` has it: a bare name is a page, a bare address is pinged, host:port is a port.
  package static func target(of word: String) -> String {
    if word.contains("://") { return word }
    if IPAddress(word) != nil { return "ping://\(word)" }
    if Endpoint(word, defaultPort: nil) != nil { return "tcp://\(word)" }
    return "https://\(word)"
  }

  /// A comment begins with two signs; one sign precedes a setting that is switched off.
  private var head: String {
    """
    ## Written by quartz-agent init. All keys: man agent.yaml, or docs/configuration.md.
    ## After a change: quartz-agent validate -c FILE; a running agent reads it by itself.

    agent:
      ## Where results and history are kept; relative to this file.
      state_dir: ./state

    \(page)
    ## Default values of every check.
    defaults:
      interval: \(interval.text)
      timeout: \(min(.seconds(10), interval).text)
      ## Attempts after one that failed, before it counts.
      retries: 1

    ## Notification channels; see docs/alerts.md.
    # alerts:
    #   channels: [{name: ops, webhook: "https://chat.example/hook"}]

    checks:

    """
  }

  private var page: String {
    guard let listen else {
      return """
        ## The page. Without an address only `quartz-agent status` reads it, over a socket.
        # status: {listen: 127.0.0.1:9797}

        """
    }
    return """
      ## The page and the API. An address that other machines reach needs a token, see docs/status.md.
      status:
        listen: \(flowScalar(listen))

      """
  }

  private func check(_ given: GivenMap) -> String {
    let type = given["type"]?.text.flatMap { CheckType(word: $0) }
    let first = ["name", "type"]
    let entries =
      given.entries.filter { first.contains($0.name) }.sorted { $0.name < $1.name }
      + given.entries.filter { !first.contains($0.name) }
    var text = ""
    for (index, entry) in entries.enumerated() {
      text += (index == 0 ? "  - " : "    ") + "\(entry.name): \(flow(entry.value))\n"
    }
    return text + (type.map(Self.advice) ?? "") + "\n"
  }

  private func flow(_ given: Given) -> String {
    switch given.value {
    case .map(let map): "{\(map.entries.map { "\($0.name): \(flow($0.value))" }.joined(separator: ", "))}"
    case .text(let text): CheckType(word: text) == nil ? flowScalar(text) : text
    default: given.flag.map(\.description) ?? given.integer.map(\.description) ?? "\"\""
    }
  }

  /// The settings that are added most often, switched off.
  private static func advice(for type: CheckType) -> String {
    switch type {
    case .http:
      """
          # expect:
          #   status: [200]
          #   body: {contains: ok}
          #   response_time: {warn: 800ms, fail: 3s}
          #   certificate: {warn: 21d, fail: 5d}

      """
    case .tcp: "    # expect: {response_time: {warn: 100ms}}\n"
    case .tls: "    # expect: {certificate: {warn: 21d, fail: 5d}}\n"
    case .dns: "    # expect: {answers: {any: [192.0.2.10]}}\n"
    case .ping: "    # expect: {loss: {warn: 10%, fail: 50%}}\n"
    case .heartbeat: ""
    }
  }
}

extension SecretFiles {
  /// There are none.
  fileprivate static let none = SecretFiles(
    read: { _ throws(SecretFiles.Note) in throw SecretFiles.Note("does not exist") },
    readBody: { _ throws(SecretFiles.Note) in throw SecretFiles.Note("does not exist") })
}
