// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Network
@testable import Monitoring

/// /etc/resolv.conf and /etc/hosts (resolv.conf(5), hosts(5)) of any content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let configuration = ResolverConfiguration(parsing: text)
  precondition(configuration.servers.count <= 3 && configuration.search.count <= 32)
  precondition((0...15).contains(configuration.ndots) && (1...5).contains(configuration.attempts))
  precondition(configuration.timeout >= .seconds(1) && configuration.timeout <= .seconds(30))
  precondition(configuration.search.allSatisfy { $0.wire.count <= 255 })
  for (_, addresses) in HostsTable(parsing: text).addresses { precondition(addresses.count <= 16) }
  return 0
}
