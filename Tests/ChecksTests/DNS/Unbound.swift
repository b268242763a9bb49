// SPDX-License-Identifier: MIT

import Checks
import Foundation
import NetworkTestSupport
import TestSupport

/// Debian's unbound as a validating resolver on loopback, over UDP and TCP, TLS and HTTPS, in front of a knot with
/// signed zones.
struct ValidatingResolver {
  let knot: UInt16
  let plain: UInt16
  let dot: UInt16
  let doh: UInt16
  let authority: TestAuthority

  private static let apex = "$TTL 300\n@ SOA ns admin 7 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n"

  static var zones: [KnotZone] {
    var signed = KnotZone("signed.example", apex + "www A 192.0.2.80\nalias CNAME www\n*.wild TXT \"any\"\n")
    signed.signing = .nsec
    var bogus = KnotZone("bogus.example", apex + "www A 192.0.2.81\n")
    bogus.signing = .nsec3
    let plain = KnotZone("plain.example", apex + "www A 192.0.2.82\n")
    return [signed, bogus, plain]
  }
}

/// Runs `body` with the resolver; its trust anchor for `bogus.example` is another zone's key.
func withValidatingResolver<Value>(_ body: (ValidatingResolver) async throws -> Value) async throws -> Value {
  try await withTemporaryDirectory { folder in
    try await withKnot(ValidatingResolver.zones) { knot in
      let key = try kdigAnswers(["signed.example", "DNSKEY"], port: knot).first ?? ""
      let resolver = ValidatingResolver(
        knot: knot, plain: try freePort(), dot: try freePort(), doh: try freePort(),
        authority: try TestAuthority(in: folder))
      let identity = try resolver.authority.issue("resolver")
      try write(configuration(resolver, identity, key, folder), folder, "unbound.conf")
      let unbound = try RealServer(
        "/usr/sbin/unbound", ["-d", "-c", folder.appending(path: "unbound.conf").path],
        debianPackage: "unbound",
        log: folder.appending(path: "unbound.log"))
      defer { unbound.stop() }
      for port in [resolver.plain, resolver.dot, resolver.doh] {
        try await unbound.waitUntilListening(port: port)
      }
      return try await body(resolver)
    }
  }
}

private func configuration(
  _ resolver: ValidatingResolver, _ identity: TestAuthority.Identity, _ key: String, _ folder: URL
) -> String {
  let zones = ValidatingResolver.zones.map(\.domain)
  let stubs = zones.map { "stub-zone:\n  name: \($0)\n  stub-addr: 127.0.0.1@\(resolver.knot)\n" }
  return """
    server:
      interface: 127.0.0.1@\(resolver.plain)
      interface: 127.0.0.1@\(resolver.dot)
      interface: 127.0.0.1@\(resolver.doh)
      \(Machine.hasIPv6 ? "interface: ::1@\(resolver.plain)" : "")
      tls-port: \(resolver.dot)
      https-port: \(resolver.doh)
      tls-service-key: "\(identity.key)"
      tls-service-pem: "\(identity.certificate)"
      username: ""
      chroot: ""
      pidfile: ""
      directory: "\(folder.path)"
      use-syslog: no
      num-threads: 1
      do-not-query-localhost: no
      module-config: "validator iterator"
      ede: yes
      version: "unbound under test"
      access-control: 127.0.0.0/8 allow
      access-control: ::1 allow
      trust-anchor: "signed.example. IN DNSKEY \(key)"
      trust-anchor: "bogus.example. IN DNSKEY \(key)"
    remote-control:
      control-enable: no
    \(stubs.joined(separator: "\n"))
    """
}
