// SPDX-License-Identifier: MIT

import Basics

extension Reason {
  /// What to look at first, for a person who has just been woken: lower case, no full stop. Nil for `ok`.
  /// docs/results.md says the same of every reason.
  ///
  /// - Parameters:
  ///   - phase: of the failure: while a name is resolved, it is the name server that is to be looked at.
  ///   - isExplained: told beside all that `once --explain` shows: nil where the advice is to look there.
  package func advice(in phase: Phase? = nil, isExplained: Bool = false) -> String? {
    func explain(_ advice: String) -> String? { isExplained ? nil : advice }
    let nameServer = phase == .dns ? "see whether the name server runs there, over UDP and TCP" : nil
    return switch self {
    case .dnsNXDomain: "check the spelling of the host, and the zone it should be in"
    case .dnsNoData: "add the missing record, or set ip to the family that has one"
    case .dnsServfail: "ask another resolver; a broken delegation or DNSSEC signature looks like this"
    case .dnsRefused: "this name server does not serve us: see its access list"
    case .dnsTimeout: "see whether the name server is up, and its udp port open on the way"
    case .connectRefused: nameServer ?? "nothing listens on that port: is the service running"
    case .connectTimeout: nameServer ?? "nobody answers: a dead host, or a firewall that drops"
    case .connectUnreachable: nameServer ?? "a router on the way knows no path to the host"
    case .connectionReset, .connectionClosed: nameServer ?? "the service broke off: see its log"
    case .tlsExpired: "renew the certificate"
    case .tlsNotYetValid: "compare the clocks here and there"
    case .tlsHostname: explain("the certificate is for other names: see them with once --explain")
    case .tlsSelfSigned, .tlsUntrusted: "serve the whole chain, or trust its authority with tls.ca_file"
    case .tlsTimeout, .firstByteTimeout:
      "the service accepts connections and then hangs: see its load and log"
    case .transferTimeout: "the answer began and did not end in time: a slow service, or a slow line"
    case .dnsMalformed: "ask the name server yourself; something on the way may alter DNS"
    case .dnsRcode, .dnsAnswer:
      explain("compare what came with what the zone should say: quartz-agent once --explain")
    case .tlsProtocol: "the server speaks only older versions of TLS: upgrade it, or lower tls.min_version"
    case .tlsClientCertificate: "the server wants a client certificate it trusts: see tls.client_certificate"
    case .tlsHandshake: "see whether TLS is spoken on that port at all"
    case .tlsWeak: "renew the certificate with a stronger key and signature"
    case .httpStatus, .body, .header, .json, .finalURL, .httpVersion:
      explain("see what came and what was expected: quartz-agent once --explain")
    case .httpProtocol where phase == .transfer:
      "the answer is not sound: see what the service, or something on the way, does to it"
    case .httpProtocol: "no HTTP is spoken on that port, or another scheme is"
    case .httpRedirectLimit, .httpRedirectRefused: explain("see where it leads: quartz-agent once --explain")
    case .bodyTooLarge: "raise max_body, or probe a smaller page"
    case .headersTooLarge: "the answer's headers pass every limit: see what sets them"
    case .responseTime: explain("see which part takes the time: quartz-agent once --explain")
    case .certificateExpiring: "renew the certificate before it ends"
    case .dialog: explain("see which step failed: quartz-agent once --explain")
    case .starttlsRefused: "the server does not offer STARTTLS here: see its configuration"
    case .proxyConnect: "see whether the proxy runs and may reach the target"
    case .proxyAuth: "see the proxy's user and password"
    case .authToken: "see the token endpoint, the client id and its secret"
    case .pingLoss, .pingTimeout: "the host is down, the way to it loses packets, or it does not answer ping"
    case .negated: "something answers that should not: stop it, or close its port"
    case .heartbeatMissed:
      "the job did not run, hangs, or cannot reach the agent: see its log, and its scheduler's"
    case .heartbeatFailed: "the job says that it failed: see its log"
    case .dependency: "see to the check that it depends on, which is down; the message names it"
    case .regional: "compare the places, which the message names: the way from some of them is broken"
    case .policyDenied: "see egress in docs/configuration.md"
    case .localFault: "this machine could not probe: the message says what it lacks"
    case .unsupported: "this version cannot run this check: the message says why"
    case .ok: nil
    }
  }
}
