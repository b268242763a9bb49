// SPDX-License-Identifier: MIT

extension Reason {
  /// What to look at first, for a person who has just been woken: lower case, no full stop. Nil where the reason and
  /// its message say it all. docs/results.md has the same for every reason.
  package var advice: String? {
    switch self {
    case .dnsNXDomain: "check the spelling of the host, and the zone it should be in"
    case .dnsNoData: "add the missing record, or set ip to the family that has one"
    case .dnsServfail: "ask another resolver; a broken delegation or DNSSEC signature looks like this"
    case .dnsRefused: "this name server does not serve us: see its access list"
    case .dnsTimeout: "see whether the name server is up and udp port 53 is open on the way"
    case .connectRefused: "nothing listens on that port: is the service running"
    case .connectTimeout: "nobody answers: a dead host, or a firewall that drops"
    case .connectUnreachable: "a router on the way knows no path to the host"
    case .connectionReset, .connectionClosed: "the service broke off: see its log"
    case .tlsExpired: "renew the certificate"
    case .tlsNotYetValid: "compare the clocks here and there"
    case .tlsHostname: "the certificate is for other names: see them with once --explain"
    case .tlsSelfSigned, .tlsUntrusted: "serve the whole chain, or trust its authority with tls.ca_file"
    case .tlsTimeout, .firstByteTimeout:
      "the service accepts connections and then hangs: see its load and log"
    case .transferTimeout: "the answer began and did not end in time: a slow service, or a slow line"
    case .httpStatus, .body: "ask it yourself: quartz-agent once --explain"
    case .httpRedirectLimit, .httpRedirectRefused: "see where it leads: quartz-agent once --explain"
    case .certificateExpiring: "renew the certificate before it ends"
    case .pingLoss, .pingTimeout: "the host is down, the way to it loses packets, or it does not answer ping"
    default: nil
    }
  }
}
