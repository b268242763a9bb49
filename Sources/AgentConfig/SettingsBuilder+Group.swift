// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// group: the rules over several keys
extension SettingsBuilder {
  mutating func judgeGroup() {
    guard let given = root["group"], !given.isInvalid else { return }
    judgeStore(root.map("group"))
  }

  /// Warns of a group without a use.
  mutating func judgeGroupsUse() {
    guard let given = root["group"], !given.isInvalid else { return }
    let map = root.map("group")
    let quartz = root.map("quartz")
    let mayPull =
      root.isInvalid(["quartz", "checks", "pull"]) || quartz.map("checks")["pull"]?.flag == true
    // Also one that is wrong: it was told so, and not that there is none.
    let confirms = (root["checks"]?.list ?? []).contains { item in
      guard case .map(let check) = item.value else { return false }
      return check["confirm"] != nil || check.isInvalid(["confirm"])
    }
    if map["share"]?.flag != true, !map.isInvalid(["share"]), !mayPull, !confirms {
      walk.problem(
        map.position(of: ["share"]),
        "there is nothing to divide: group.share is false, no checks are pulled and none has confirm",
        hint: "set group.share: true, or quartz.checks.pull: true")
    }
  }

  private mutating func judgeStore(_ group: GivenMap) {
    let store = group.map("store")
    if store["etcd"]?.list?.isEmpty ?? true, !group.isInvalid(["store", "etcd"]) {
      walk.problem(
        store.position(of: ["etcd"]), "group.store.etcd is missing",
        hint: "such as etcd: [https://etcd-1.example:2379]")
    }
    for (key, other) in [("user", "password"), ("password", "user")]
    where store[key] != nil && store[other] == nil {
      walk.problem(
        store.position(of: [key]), "group.store.\(key) has no effect without group.store.\(other)",
        hint: "set both, or neither where etcd asks for no user")
    }
    let tls = store.map("tls")
    if tls["client_key"] != nil, tls["client_certificate"] == nil {
      walk.problem(
        tls.position(of: ["client_key"]),
        "group.store.tls.client_key has no effect without group.store.tls.client_certificate",
        hint: "add the PEM file of the certificate that the key belongs to")
    }
  }
}
