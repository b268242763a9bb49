// SPDX-License-Identifier: MIT

import Basics

// The `tls` map, wherever it stands.
extension CheckJudge {
  mutating func tlsOptions() -> TLSOptions {
    file(definition.tls.caFile, ["tls", "ca_file"])
    let serverName = definition.tls.serverName.flatMap { asciiHost($0, ["tls", "server_name"]) }
    if definition.tls.verify == false, definition.tls.caFile != nil {
      problem(
        ["tls", "ca_file"], "tls.ca_file has no effect with tls.verify false", hint: "leave one of them out")
    }
    let minimum = choice(definition.tls.minVersion, ["tls", "min_version"], TLSVersion.self)
    let maximum = choice(definition.tls.maxVersion, ["tls", "max_version"], TLSVersion.self)
    if let maximum, maximum < minimum ?? .v12 {
      problem(
        ["tls", "max_version"],
        "tls.max_version must be at least tls.min_version (\((minimum ?? .v12).rawValue)), "
          + "found \(maximum.rawValue)")
    }
    clientCertificate()
    var options = TLSOptions(
      caFile: definition.tls.caFile, serverName: serverName,
      verify: definition.tls.verify ?? true,
      minimumVersion: minimum ?? .v12, maximumVersion: maximum,
      clientCertificate: definition.tls.clientCertificate, clientKey: definition.tls.clientKey)
    options.isStrict = definition.expect.certificateStrict ?? false
    options.asksBoth = definition.tls.both ?? false
    return options
  }

  /// Whether anything of the map is given.
  var hasTLSOptions: Bool {
    definition.tls.caFile != nil || definition.tls.serverName != nil || definition.tls.verify != nil
      || definition.tls.minVersion != nil || definition.tls.maxVersion != nil
      || definition.tls.both != nil || definition.tls.clientCertificate != nil
      || definition.tls.clientKey != nil
  }

  private mutating func clientCertificate() {
    file(definition.tls.clientCertificate, ["tls", "client_certificate"])
    file(definition.tls.clientKey, ["tls", "client_key"])
    if definition.tls.clientKey != nil, definition.tls.clientCertificate == nil {
      problem(
        ["tls", "client_key"], "tls.client_key has no certificate",
        hint: "add tls.client_certificate, the PEM file of the certificate the key belongs to")
    }
    if definition.tls.verify == false, definition.tls.clientCertificate != nil {
      problem(
        ["tls", "verify"], "tls.verify false would show the client certificate to anyone who answers",
        hint: "set tls.ca_file to the authority that signed the server's certificate")
    }
  }

  private mutating func file(_ path: String?, _ key: [String]) {
    guard let path, path.isEmpty || path.utf8.contains(0) else { return }
    problem(key, "\(CheckProblem.keyText(key)) must be the path of a PEM file")
  }
}
