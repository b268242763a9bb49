// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Whether a probe may go to an address. The text says why not and what to do, for this machine's own pages.
package enum EgressVerdict: Hashable, Sendable {
  case allowed
  case denied(String)
}

/// Purpose of the connection; it decides which ports are right.
package enum EgressPurpose: Hashable, Sendable {
  case connection
  /// A query to a name server: port 53 is right as well.
  case dns
  /// An ICMP echo: no port at all.
  case echo
  /// A proxy that the administrator named: it is held to what a check of the administrator may reach.
  case proxy
}

/// The one judge of where probes may go: asked with the resolved address, for every hop, right before dialling
/// exactly that address.
///
/// A check from the local file is the administrator's and may go anywhere but to cloud metadata addresses. A
/// check from the API is a stranger's: public unicast on the allowed ports, and what the local file lists.
package struct EgressPolicy: Hashable, Sendable {
  package let settings: EgressSettings
  /// The agent's own endpoints, closed to untrusted checks. `nil` where there is no agent around.
  package let own: OwnPlaces?

  package init(_ settings: EgressSettings = EgressSettings(), own: OwnPlaces? = nil) {
    self.settings = settings
    self.own = own
  }

  /// - Parameter host: how the check or the redirect calls the address; nil: not at all.
  package func judge(
    _ address: IPAddress, port: UInt16, origin: CheckOrigin, purpose: EgressPurpose = .connection,
    host: String? = nil
  ) -> EgressVerdict {
    let origin = purpose == .proxy ? .local : origin
    if origin == .api, purpose != .echo {
      for judged in address.reached {
        guard let why = own?.refusal(of: judged, port: port, host: host) else { continue }
        return .denied("\(address) \(why)")
      }
    }
    let port = purpose == .echo ? nil : port
    // An address that hides others is as good as the worst of them: each must pass on its own.
    if !settings.deny.isEmpty {
      for candidate in [address] + address.embedded where listed(candidate, port, in: settings.deny) {
        return .denied("\(address) is in 'egress.deny'")
      }
    }
    for judged in address.reached {
      let request = Request(address: judged, port: port, purpose: purpose)
      if let why = origin == .local ? refusalOfLocal(request) : refusalOfAPI(request) {
        let path = judged == address ? "\(address)" : "\(address) leads to \(judged), which"
        return .denied("\(path) \(why)")
      }
    }
    return .allowed
  }

  /// Why a check must not be run at all, whatever its target; `nil` when it may.
  package func refusal(of check: MonitoringCheck) -> String? {
    guard check.origin == .api, case .http(let http) = check.kind else { return nil }
    guard settings.methods.contains(http.method) else {
      return "the method \(http.method) is not in 'egress.methods', which are open to checks from the API"
    }
    guard http.body != nil, ["GET", "HEAD"].contains(http.method) else { return nil }
    return "a check from the API may not send a body with \(http.method)"
  }

  /// Whether a redirect may not lead there from the hop before it, or a public page could steer probes into the network
  /// around the agent.
  package func isMorePrivate(_ address: IPAddress, than source: IPAddress) -> Bool {
    address.effectiveClass.privacyRank > source.effectiveClass.privacyRank
  }

  private struct Request {
    var address: IPAddress
    var port: UInt16?
    var purpose: EgressPurpose
  }

  private func refusalOfLocal(_ request: Request) -> String? {
    if request.address.addressClass == .metadata, !listed(request.address, request.port, in: settings.allow) {
      return "is a cloud metadata address: list it in 'egress.allow' to open it"
    }
    return settings.mode == .allowlistOnly ? refusalOfUnlisted(request, samePorts: false) : nil
  }

  private func refusalOfAPI(_ request: Request) -> String? {
    switch request.address.addressClass {
    case .metadata: return "is a cloud metadata address, never open to checks from the API"
    case .unspecified, .linkLocal, .multicast, .reserved:
      return "is \(request.address.addressClass.withArticle) address, never open to checks from the API"
    case .loopback:
      return namesLoopback(request)
        ? nil : "is loopback: a check from the API needs it in 'egress.allow' with its port"
    case .private:
      return refusalOfUnlisted(request, samePorts: true)
    case .public:
      if settings.mode == .allowlistOnly { return refusalOfUnlisted(request, samePorts: true) }
      if permitsPort(request)
        || listed(request.address, request.port, in: settings.allow.filter(\.namesPorts))
      {
        return nil
      }
      return "is asked for on a port that is not in 'egress.ports'"
    }
  }

  /// The rule that must list the address. A rule without ports opens the ports of `EgressSettings.ports` to a
  /// check from the API (`samePorts`), and every port to a local one.
  private func refusalOfUnlisted(_ request: Request, samePorts: Bool) -> String? {
    let open = settings.allow.contains { rule in
      guard rule.range.contains(request.address) else { return false }
      if let port = request.port, rule.namesPorts { return rule.ports.contains(port) }
      return rule.namesPorts ? false : !samePorts || permitsPort(request)
    }
    return open ? nil : "is not in 'egress.allow' with this port"
  }

  /// Only a rule about loopback alone, with the port in it, opens loopback: `0.0.0.0/0` does not name it.
  private func namesLoopback(_ request: Request) -> Bool {
    guard let port = request.port else { return false }
    return settings.allow.contains { rule in
      rule.ports.contains(port) && rule.range.isLoopback && rule.range.contains(request.address)
    }
  }

  private func permitsPort(_ request: Request) -> Bool {
    guard let port = request.port else { return true }
    return settings.ports.contains(port) || (request.purpose == .dns && port == 53)
  }

  /// Whether a rule covers the address and, where it names ports, the port. An echo has none, so a `deny` rule
  /// with ports does not stop it and an `allow` rule with ports does not open it.
  private func listed(_ address: IPAddress, _ port: UInt16?, in rules: [EgressRule]) -> Bool {
    rules.contains { rule in
      rule.range.contains(address) && (!rule.namesPorts || port.map(rule.ports.contains) ?? false)
    }
  }
}

extension EgressRule {
  fileprivate var namesPorts: Bool { !ports.isEmpty }
}
