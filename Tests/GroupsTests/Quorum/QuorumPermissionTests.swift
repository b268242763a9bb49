// SPDX-License-Identifier: MIT

import Basics
import Curl
import Groups
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// What doctor asks of a store: whether its user has the keys of the places.
@Suite struct QuorumPermissionTests {
  @Test func itIsAskedForWithoutAWordWritten() async throws {
    try await EtcdServer.with { server in
      try await server.allowLondon()
      try await withCurlEngine { engine in
        var settings = EtcdSettings(endpoints: try server.urls.map { try HTTPURL($0) })
        (settings.user, settings.password) = ("quartz-london", Redacted("sesame"))
        let client = EtcdClient(settings, over: .test(engine))
        let places = EtcdQuorum(client: client, prefix: "/quartz/")
        #expect(await places.obstacle()?.kind == .denied)
        for (permission, obstacle) in [("read", StoreTrouble.Kind.denied), ("readwrite", nil)] {
          try await server.control(
            ["role", "grant-permission", "quartz-london", "--prefix=true", permission, "/quartz/v/"],
            as: "root:root")
          #expect(await places.obstacle()?.kind == obstacle)
        }
        #expect(try await places.audit().get().count == 0)
      }
    }
  }
}
