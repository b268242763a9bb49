// SPDX-License-Identifier: MIT

import Foundation

/// A certificate authority made by the openssl program in a folder of the test's own.
package struct TestAuthority {
  /// The root certificate, as PEM.
  package let rootFile: String
  private let folder: URL

  /// What a certificate is to be like. The default is good for `good.test` and 127.0.0.1.
  package struct Leaf {
    package var names = ["DNS:good.test", "IP:127.0.0.1"]
    /// In days from now.
    package var from = -1.0
    package var until = 90.0
    package var key: [String] = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    package var digest = "sha256"
    /// Nil: the certificate's file name.
    package var commonName: String?
    /// Further lines of the extension section.
    package var extensions: [String] = []

    package init() {}

    package static let weakKey: [String] = ["-newkey", "rsa:1024"]
  }

  /// Files of one certificate. The chain holds the leaf only: the root is what a client must have.
  package struct Identity {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// - Parameter name: distinguishes several authorities in one folder.
  package init(in parent: URL, name: String = "root") throws {
    folder = parent.appending(path: "ca-\(name)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "new"), withIntermediateDirectories: true)
    rootFile = folder.appending(path: "root.pem").path
    _ = FileManager.default.createFile(atPath: folder.appending(path: "index.txt").path, contents: nil)
    try configuration.write(to: folder.appending(path: "ca.cnf"), atomically: true, encoding: .utf8)
    try openssl([
      "req", "-x509", "-config", "ca.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=Test \(name)", "-days", "3650", "-extensions",
      "root",
    ])
  }

  private init(folder: URL) throws {
    self.folder = folder
    rootFile = folder.appending(path: "root.pem").path
    try FileManager.default.createDirectory(
      at: folder.appending(path: "new"), withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: folder.appending(path: "index.txt").path, contents: nil)
    try configuration.write(to: folder.appending(path: "ca.cnf"), atomically: true, encoding: .utf8)
  }

  /// An authority whose own certificate is from this one; its `rootFile` is that certificate. What it issues is served
  /// with it by `chained`.
  package func subordinate(_ name: String, _ leaf: Leaf = Leaf()) throws -> TestAuthority {
    var leaf = leaf
    leaf.extensions.append("keyUsage = critical,keyCertSign,cRLSign")
    let own = try issue(name, leaf, isAuthority: true)
    let other = try TestAuthority(folder: folder.appending(path: "below-\(name)"))
    let files = FileManager.default
    try files.copyItem(atPath: own.certificate, toPath: other.rootFile)
    try files.copyItem(atPath: own.key, toPath: other.folder.appending(path: "root.key").path)
    return other
  }

  /// The certificate with this authority's own behind it, as a server sends them.
  package func chained(_ identity: Identity) throws -> Identity {
    let path = identity.certificate + ".chain"
    let both = try [identity.certificate, rootFile].map { try String(contentsOfFile: $0, encoding: .utf8) }
    try both.joined().write(toFile: path, atomically: true, encoding: .utf8)
    return Identity(certificate: path, key: identity.key)
  }

  private var configuration: String {
    """
    [ca]
    default_ca = own
    [own]
    dir = .
    database = ./index.txt
    new_certs_dir = ./new
    rand_serial = yes
    certificate = ./root.pem
    private_key = ./root.key
    default_md = sha256
    policy = any
    unique_subject = no
    [any]
    commonName = supplied
    [req]
    distinguished_name = name
    [name]
    [root]
    basicConstraints = critical,CA:TRUE
    keyUsage = keyCertSign,cRLSign
    subjectKeyIdentifier = hash
    """
  }

  package func issue(_ name: String, _ leaf: Leaf = Leaf()) throws -> Identity {
    try issue(name, leaf, isAuthority: false)
  }

  private func issue(_ name: String, _ leaf: Leaf, isAuthority: Bool) throws -> Identity {
    try openssl(
      [
        "req", "-new", "-config", "ca.cnf", "-nodes", "-keyout", "\(name).key", "-out", "\(name).csr",
        "-subj", "/CN=\(leaf.commonName ?? name)",
      ] + leaf.key)
    try extensions(leaf, isAuthority: isAuthority).write(
      to: folder.appending(path: "\(name).ext"), atomically: true, encoding: .utf8)
    try openssl([
      "ca", "-batch", "-config", "ca.cnf", "-in", "\(name).csr", "-out", "\(name).pem", "-notext", "-md",
      leaf.digest,
      "-extfile", "\(name).ext", "-startdate", stamp(leaf.from), "-enddate", stamp(leaf.until),
    ])
    return identity(name)
  }

  package func selfSigned(_ name: String, _ leaf: Leaf = Leaf()) throws -> Identity {
    try openssl(
      [
        "req", "-x509", "-config", "ca.cnf", "-nodes", "-keyout", "\(name).key", "-out", "\(name).pem",
        "-subj",
        "/CN=\(name)", "-days", "30", "-addext", "subjectAltName=\(leaf.names.joined(separator: ","))",
      ] + leaf.key)
    return identity(name)
  }

  private func extensions(_ leaf: Leaf, isAuthority: Bool) -> String {
    ([
      "basicConstraints = critical,CA:\(isAuthority ? "TRUE" : "FALSE")",
      "subjectAltName = \(leaf.names.joined(separator: ","))",
    ]
      + leaf.extensions)
      .joined(separator: "\n") + "\n"
  }

  private func identity(_ name: String) -> Identity {
    Identity(
      certificate: folder.appending(path: "\(name).pem").path, key: folder.appending(path: "\(name).key").path
    )
  }

  private func stamp(_ days: Double) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyyMMddHHmmss'Z'"
    return formatter.string(from: Date(timeIntervalSinceNow: days * 86_400))
  }

  private func openssl(_ arguments: [String]) throws {
    try runTool("/usr/bin/openssl", arguments, in: folder)
  }
}

/// Runs a program to its end; one that fails is an error with what it said.
package func runTool(_ program: String, _ arguments: [String], in folder: URL) throws {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  process.currentDirectoryURL = folder
  process.standardOutput = output
  process.standardError = output
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let text = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw ToolFailed(program: program, arguments: arguments, output: String(decoding: text, as: UTF8.self))
  }
}

package struct ToolFailed: Error, CustomStringConvertible {
  package let program: String
  package let arguments: [String]
  package let output: String
  package var description: String { "\(program) \(arguments.joined(separator: " ")) failed: \(output)" }
}
