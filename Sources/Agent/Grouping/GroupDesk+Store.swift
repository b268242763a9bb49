// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Groups
import Logging

extension GroupDesk {
  /// `nil` where the agent is in no group.
  static func make(_ settings: Settings, _ outside: Outside, _ log: Logger) async -> GroupDesk? {
    guard let group = settings.group, let store = outside.stores?.members else { return nil }
    let (disk, time) = (outside.disk, outside.time)
    let home = await Self.home(on: disk, log, time)
    let memory = GroupMemoryFile(group, settings, disk, log: log, time: time)
    return GroupDesk(
      group, settings, home: home, memory: memory, recalling: await memory.read(), store: store, log: log,
      time: time)
  }

  private static func home(on disk: StateDisk, _ log: Logger, _ time: TimeSource) async -> Home {
    let file = disk.file("group-home", maxBytes: 64)
    do throws(StateFile.Failure) {
      if let bytes = try await file.read(), let id = UniqueID(String(decoding: bytes, as: UTF8.self)) {
        return Home(id: id, isOld: true)
      }
    } catch {
      log.warning("the group's mark in the state directory cannot be read", metadata: ["problem": "\(error)"])
    }
    var generator = RandomPool()
    let id = UniqueID.v7(at: time.wall(), using: &generator)
    // Without it a restart waits for its old lease.
    try? await file.write(Array(id.description.utf8))
    return Home(id: id, isOld: false)
  }
}

extension EtcdClient {
  package convenience init(_ group: GroupSettings, _ engine: ProbeEngine) {
    let tls = group.store.tls
    self.init(
      EtcdSettings(
        endpoints: group.store.etcd, user: group.store.user, password: group.store.password,
        tls: TLSOptions(
          caFile: tls.caFile, clientCertificate: tls.clientCertificate, clientKey: tls.clientKey)),
      over: engine.outbound)
  }
}
