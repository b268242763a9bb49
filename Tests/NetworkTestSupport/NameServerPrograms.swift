// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// Debian's knot with a zone of ours, and Debian's unbound that asks it, both on loopback.
package struct NameServerPrograms {
  package let knot: UInt16
  package let unbound: UInt16

  /// `long` has an answer that no datagram of 1,232 bytes holds.
  package static let zone = """
    $TTL 300
    @       SOA   ns admin 7 3600 600 86400 60
    @       NS    ns
    @       MX    10 mx1
    @       CAA   0 issue "ca.example"
    ns      A     127.0.0.1
    www     A     192.0.2.80
    www     AAAA  2001:db8::80
    v4      A     192.0.2.4
    mx1     A     192.0.2.25
    alias   CNAME www
    text    TXT   "hello world"
    two     TXT   "a" "b"
    _sip._tcp SRV 1 2 5060 www
    odd     TYPE65280 \\# 3 0001ab
    4.2.0.192 PTR v4
    \((0..<60).map { "long TXT \"\(String(repeating: "x", count: 60))\($0)\"" }.joined(separator: "\n"))
    \((0..<9).map { "c\($0) CNAME c\($0 + 1)" }.joined(separator: "\n"))
    c9 CNAME www
    """
}

package func withNameServers<Value>(_ body: (NameServerPrograms) async throws -> Value) async throws -> Value
{
  try await withTemporaryDirectory { folder in
    let ports = NameServerPrograms(knot: try freePort(), unbound: try freePort())
    try write(NameServerPrograms.zone + "\n", folder, "zone")
    try write(knotConfiguration(ports.knot, folder), folder, "knot.conf")
    try write(unboundConfiguration(ports, folder), folder, "unbound.conf")
    let knot = try RealServer(
      "/usr/sbin/knotd", ["-c", folder.appending(path: "knot.conf").path], debianPackage: "knot",
      log: folder.appending(path: "knot.log"))
    defer { knot.stop() }
    let unbound = try RealServer(
      "/usr/sbin/unbound", ["-d", "-c", folder.appending(path: "unbound.conf").path],
      debianPackage: "unbound",
      log: folder.appending(path: "unbound.log"))
    defer { unbound.stop() }
    try await knot.waitUntilListening(port: ports.knot)
    try await unbound.waitUntilListening(port: ports.unbound)
    return try await body(ports)
  }
}

package func write(_ text: String, _ folder: URL, _ name: String) throws {
  try Data(text.utf8).write(to: folder.appending(path: name))
}

private func knotConfiguration(_ port: UInt16, _ folder: URL) -> String {
  """
  server:
    rundir: "\(folder.path)"
    listen: 127.0.0.1@\(port)
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
  database:
    storage: "\(folder.path)"
  zone:
    - domain: shop.example
      file: "\(folder.path)/zone"
      zonefile-sync: -1
      journal-content: none
    - domain: broken.example
      file: "\(folder.path)/there-is-none"
  """
}

private func unboundConfiguration(_ ports: NameServerPrograms, _ folder: URL) -> String {
  """
  server:
    interface: 127.0.0.1
    port: \(ports.unbound)
    username: ""
    chroot: ""
    pidfile: ""
    directory: "\(folder.path)"
    use-syslog: no
    num-threads: 1
    do-not-query-localhost: no
    module-config: "iterator"
    access-control: 127.0.0.0/8 allow
    local-zone: refused.example. refuse
  remote-control:
    control-enable: no
  stub-zone:
    name: shop.example
    stub-addr: 127.0.0.1@\(ports.knot)
  """
}
