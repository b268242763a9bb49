// SPDX-License-Identifier: MIT

import Basics

extension Reason {
  /// The first thing to look at, for a person who has just been woken: lower case, no full stop. `nil` for `ok`.
  /// docs/results.md says the same of every reason.
  ///
  /// - Parameters:
  ///   - phase: of the failure: while a name is resolved, it is the name server that is to be looked at.
  ///   - message: of the failure: where it names a narrower cause, the advice is about that.
  ///   - isExplained: shown beside the output of `once --explain`: nil where the advice is to look there.
  package func advice(
    in phase: Phase? = nil, of message: String? = nil, isExplained: Bool = false
  ) -> String? {
    if phase != .dns, let cause = NarrowCause(self, message) { return cause.advice }
    return ownAdvice(phase, isExplained)
  }

  private func ownAdvice(_ phase: Phase?, _ isExplained: Bool) -> String? {
    func explain(_ advice: String) -> String? { isExplained ? nil : advice }
    let nameServer = phase == .dns ? "see whether the name server runs there, over UDP and TCP" : nil
    return switch self {
    case .dnsNXDomain: "check the spelling of the host, and the zone it should be in"
    case .dnsNoData: "add the missing record, or set ip to the family that has one"
    case .dnsServfail: "ask another resolver; a broken delegation or DNSSEC signature looks like this"
    case .dnsRefused: "see the access list of that name server, or ask another one"
    case .dnsTimeout: "see whether the name server is up, and its udp port open on the way"
    case .connectRefused: nameServer ?? "see whether the service runs, and on which address and port"
    case .connectTimeout:
      nameServer ?? "see whether the host is up, and what drops packets on the way: quartz-agent trace"
    case .connectUnreachable:
      nameServer ?? "see who on the way says so: quartz-agent trace names the router or the firewall"
    case .connectionReset, .connectionClosed: nameServer ?? "see the service's log at that time"
    case .tlsExpired: "renew the certificate"
    case .tlsNotYetValid: "compare the clocks here and there"
    case .tlsHostname: explain("see for which names the certificate is: quartz-agent once --explain")
    case .tlsSelfSigned, .tlsUntrusted: "serve the whole chain, or trust its authority with tls.ca_file"
    case .tlsTimeout, .firstByteTimeout:
      "see the service's load and log: it accepts connections and then hangs"
    case .transferTimeout:
      "see which is slow, the service or the line; of a stream read no body: read_body: false"
    case .dnsMalformed: "ask the name server yourself; something on the way may alter DNS"
    case .dnsRcode, .dnsAnswer:
      explain("compare what came with what the zone should say: quartz-agent once --explain")
    case .tlsProtocol: "upgrade the server, or lower tls.min_version"
    case .tlsClientCertificate: "see tls.client_certificate, and in the server's log what it trusts"
    case .tlsHandshake: "see whether TLS is spoken on that port at all"
    case .tlsWeak: "renew the certificate that the message names, with a stronger key and signature"
    case .httpStatus, .body, .header, .json, .finalURL, .httpVersion:
      explain("see what came and what was expected: quartz-agent once --explain")
    case .httpProtocol where phase == .transfer:
      "see what the service, or something on the way, does to the answer"
    case .httpProtocol: "see whether HTTP is spoken on that port, and by which scheme"
    case .httpRedirectLimit, .httpRedirectRefused: explain("see where it leads: quartz-agent once --explain")
    case .bodyTooLarge: "raise max_body, or probe a smaller page"
    case .headersTooLarge: "see what sets the answer's headers: cookies that grow, as a rule"
    case .responseTime: explain("see which part takes the time: quartz-agent once --explain")
    case .certificateExpiring: "renew the certificate before it ends"
    case .dialog: explain("see which step failed: quartz-agent once --explain")
    case .starttlsRefused: "see the server's configuration of STARTTLS"
    case .proxyConnect: "see whether the proxy runs and may reach the target"
    case .proxyAuth: "see the proxy's user and password, and whether it offers Basic"
    case .authToken: "see the token endpoint, the client id and its secret"
    case .pingLoss, .pingTimeout:
      "see whether the host is up and answers ping, and where packets are lost: quartz-agent trace"
    case .negated: "stop what answers there, or close its port"
    case .heartbeatMissed:
      "see the job's log and its scheduler's: it did not run, hangs, or cannot reach the agent"
    case .heartbeatFailed: "see the job's log"
    case .dependency: "see to the check that the message names"
    case .regional: "compare the places, which the message names: the way from some of them is broken"
    case .policyDenied: "see egress in docs/configuration.md"
    case .localFault: "see what this machine lacks: quartz-agent doctor"
    case .unsupported: "upgrade the agent"
    case .ok: nil
    }
  }
}
