// SPDX-License-Identifier: MIT

@testable import AgentConfig
@testable import Basics
@testable import Network
@testable import Monitoring

/// Everything that `discover` reads of others: file_sd as JSON and YAML, the answer of an HTTP source, SRV records. The first
/// byte chooses: a list as JSON, a whole configuration whose file of targets is JSON or YAML, a DNS message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(bytes.dropFirst())
  switch bytes[0] % 4 {
  case 0: list(rest)
  case 1: configuration("/t/a.json", rest)
  case 2: configuration("/t/a.yml", rest)
  default: records(rest)
  }
  return 0
}

private func list(_ bytes: [UInt8]) {
  guard let list = try? TargetList(json: bytes) else { return }
  check(list)
  // As it is kept, it is read back.
  guard let again = try? TargetList(json: list.json) else { preconditionFailure("our own list is no list") }
  precondition(again.targets == list.targets && again.leftOut == 0 && again.labelsLeftOut == 0)
}

private func check(_ list: TargetList) {
  precondition(list.targets.count <= DiscoverySource.mostTargets && list.skipped.count <= 50)
  precondition(list.skippedLabels.count <= 5)
  precondition(Set(list.targets.map { ByteText($0.address) }).count == list.targets.count)
  for target in list.targets {
    precondition(
      target.address.utf8.count <= 1024 && target.address.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    // What means something where it is put in stays out.
    precondition(!target.address.utf8.contains(UInt8(ascii: "$")) && !target.host.isEmpty)
    for label in target.labels {
      precondition(!label.name.hasPrefix("__") && !label.value.utf8.contains(UInt8(ascii: "$")))
    }
  }
}

private let text = """
  templates:
    web: {type: http, url: "https://${target}/", tags: [web]}
    port: {type: tcp, host: "${host}", port: "${port}"}
  discover:
    - {file: "/t/*", extends: web, name: "${label:city} ${target}"}
    - {file: "/t/*", extends: port}
  checks: [{name: mine, type: ping, host: a.example}]
  """

/// What a file of targets says makes checks or is left out; the configuration's own check is there whatever it says, or
/// the file is refused as a whole.
private func configuration(_ path: String, _ bytes: [UInt8]) {
  let sources = ConfigSources(
    environment: [:],
    secrets: SecretFiles(
      read: { _ throws(SecretFiles.Note) in throw SecretFiles.Note("does not exist") },
      readBody: { _ throws(SecretFiles.Note) in throw SecretFiles.Note("does not exist") }), hostName: "fuzz",
    files: ConfigFiles(
      expand: { pattern in pattern == "/t/*" ? [path] : [] }, read: { _ throws(ConfigErrors) in bytes },
      isThere: { $0 == path }))
  do throws(ConfigErrors) {
    let loaded = try ConfigLoader.parse(text: text, file: "/agent.yaml", sources: sources)
    let names = Set(loaded.settings.checks.map { ByteText($0.name) })
    precondition(names.count == loaded.settings.checks.count && names.contains(ByteText("mine")))
    precondition(loaded.settings.checks.count <= 2 * (loaded.lists.first?.names.count ?? 0) + 1)
    precondition(loaded.warnings.count <= 101)
  } catch {
    precondition(!error.problems.isEmpty && error.problems.count <= 101)
  }
}

private func records(_ bytes: [UInt8]) {
  guard let message = try? DNSMessage(bytes) else { return }
  let services = message.services
  precondition(services.count <= message.answers.count)
  for service in services { precondition(service.port > 0 && !service.host.isEmpty) }
  let list = TargetList(
    targets: services.map { TargetList.Target(address: $0.description, host: $0.host, port: $0.port) })
  // As it is kept: what cannot be a target is left out when it is read, and the rest is as it was.
  guard let again = try? TargetList(json: list.json) else { preconditionFailure("our own list is no list") }
  precondition(again.targets.count + again.leftOut == list.targets.count)
}
