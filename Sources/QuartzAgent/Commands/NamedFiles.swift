// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Checks
import Curl
import Glibc
import Monitoring
import Status
import Tracing

/// Files that the configuration names, looked at as the agent uses them: their contents are in no walk of agent.yaml. A daemon starts
/// without them, since such a file may come later.
struct NamedFiles {
  /// Files without which a check, a notification channel, the store of the group or `/probe` fails.
  private(set) var problems: [String] = []
  private let trust = TrustStore()
  private let networks: String?
  private let logo: String?

  /// Files without which the agent shows less. Read when they are asked for: a table of networks may be large.
  var warnings: [String] {
    [
      networks.flatMap(networksProblem).map { "trace.networks: \($0)" },
      logo.flatMap(logoProblem).map { "status.public.logo: \($0)" },
    ].compactMap(\.self)
  }

  init(_ settings: Settings) {
    (networks, logo) = (settings.trace.networks, settings.status.publicFace?.logo)
    for check in settings.checks {
      let name = "check \"\(check.name.printable(maxBytes: 200))\": tls"
      guard let tls = check.kind.namedTLS else { continue }
      certificates("\(name).ca_file", tls.caFile)
      identity("\(name).client_certificate", tls.clientCertificate, tls.clientKey)
    }
    for channel in settings.alerts?.channels ?? [] { look(at: channel) }
    if let tls = settings.group?.store.tls {
      certificates("group.store.tls.ca_file", tls.caFile)
      identity("group.store.tls.client_certificate", tls.clientCertificate, tls.clientKey)
    }
  }

  private mutating func look(at channel: AlertChannel) {
    let name = "channel \(quoted(channel.name))"
    switch channel.kind {
    case .webhook(let webhook): certificates("\(name): ca_file", webhook.caFile)
    case .mail(let mail): certificates("\(name): ca_file", mail.caFile)
    case .exec(let exec):
      guard let program = exec.command.first, access(program, X_OK) != 0 else { return }
      problems.append("\(name): exec: \(program.printable(maxBytes: 500)) cannot be run: \(errorText(errno))")
    }
  }

  private mutating func certificates(_ key: String, _ file: String?) {
    guard let file else { return }
    do { _ = try trust.store(caFile: file) } catch { problems.append("\(key): \(error)") }
  }

  private mutating func identity(_ key: String, _ certificate: String?, _ secret: String?) {
    guard let certificate, let words = clientCertificateProblem(certificate: certificate, key: secret) else {
      return
    }
    problems.append("\(key): \(words)")
  }
}

extension CheckKind {
  /// Options that name files, also of a check over plain HTTP, which may be redirected. `nil` without any.
  fileprivate var namedTLS: TLSOptions? {
    switch self {
    case .http(let http): http.tls
    case .tls(let tls): tls.options
    case .tcp(let tcp): tcp.tls
    case .dns(let dns): dns.tls
    case .ping, .heartbeat: nil
    }
  }
}

/// Why a file gives no table of networks; `nil` when it does.
private func networksProblem(_ path: String) -> String? {
  do throws(UnreadableFile) {
    let bytes = try readWhole(path, limit: NetworkTable.sizeLimit)
    do throws(NetworkTable.Problem) { _ = try NetworkTable(bytes) } catch {
      return "\(path.printable(maxBytes: 500)): \(error)"
    }
    return nil
  } catch { return error.words }
}

/// Why a file is no logo; `nil` when it is one.
private func logoProblem(_ path: String) -> String? {
  do throws(UnreadableFile) {
    return PublicFace.Logo.objection(to: try readWhole(path, limit: PublicFace.Logo.readLimit), path)
  } catch { return error.words }
}
