// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import NetworkTestSupport
import TestSupport
import Testing

/// A server from Debian that a tcp or tls check speaks with: how it is set up and started on a port of the test's own.
struct Daemon: Sendable, CustomTestStringConvertible {
  var name: String
  var package: String
  var program: String
  /// Makes its files in the folder, and returns its arguments.
  var prepare: @Sendable (Place) throws -> [String]

  var testDescription: String { name }

  struct Place: Sendable {
    let folder: URL
    let port: UInt16
    let identity: TestAuthority.Identity

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    func makeFolder(_ name: String) throws {
      try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    }
  }

  /// Runs `body` with the server, which has a certificate for `good.test` of the authority.
  func run(_ body: (UInt16, TestAuthority) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      // Servers that change their user must reach their files.
      chmod(folder.path, 0o755)
      let authority = try TestAuthority(in: folder)
      let place = Place(folder: folder, port: try freePort(), identity: try authority.issue("leaf"))
      let server = try RealServer(
        program, try prepare(place), debianPackage: package, log: folder.appending(path: "output.log"))
      defer { server.stop() }
      try await server.waitUntilListening(port: place.port)
      try await body(place.port, authority)
    }
  }
}

extension Daemon {
  static let ssh = Daemon(name: "OpenSSH", package: "openssh-server", program: "/usr/sbin/sshd") { place in
    try runTool(
      "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", place.path("host_key")], in: place.folder
    )
    try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
    return [
      "-D", "-e", "-f", "/dev/null", "-h", place.path("host_key"), "-p", "\(place.port)", "-o",
      "ListenAddress=127.0.0.1", "-o", "PidFile=none", "-o", "UsePAM=no",
    ]
  }

  static let smtp = Daemon(
    name: "Postfix", package: "postfix", program: "/usr/lib/postfix/sbin/master"
  ) { place in
    for name in ["data", "queue"] { try place.makeFolder(name) }
    try place.write(
      "main.cf",
      """
      compatibility_level = 3.6
      queue_directory = \(place.path("queue"))
      data_directory = \(place.path("data"))
      inet_interfaces = 127.0.0.1
      myhostname = good.test
      mydestination =
      alias_maps =
      smtpd_relay_restrictions = reject
      smtpd_peername_lookup = no
      smtpd_tls_security_level = may
      smtpd_tls_chain_files = \(place.identity.key), \(place.identity.certificate)
      maillog_file = \(place.path("mail.log"))
      maillog_file_prefixes = /
      """ + "\n")
    try place.write(
      "master.cf",
      """
      127.0.0.1:\(place.port) inet n - n - - smtpd
      tlsmgr unix - - n 1000? 1 tlsmgr
      anvil unix - - n - 1 anvil
      rewrite unix - - n - - trivial-rewrite
      proxymap unix - - n - - proxymap
      postlog unix-dgram n - n - 1 postlogd
      """ + "\n")
    try runTool("/bin/chown", ["postfix", "data"], in: place.folder)
    // Makes the folders of its queue.
    try runTool("/usr/sbin/postfix", ["-c", place.folder.path, "check"], in: place.folder)
    return ["-c", place.folder.path, "-d"]
  }

  static let imap = dovecot("imap")
  static let pop3 = dovecot("pop3")

  private static func dovecot(_ kind: String) -> Daemon {
    Daemon(name: "Dovecot (\(kind))", package: "dovecot-\(kind)d", program: "/usr/sbin/dovecot") { place in
      try place.makeFolder("run")
      try place.write(
        "dovecot.conf",
        """
        base_dir = \(place.path("run"))
        state_dir = \(place.path("run"))
        log_path = \(place.path("dovecot.log"))
        protocols = \(kind)
        listen = 127.0.0.1
        ssl = yes
        ssl_cert = <\(place.identity.certificate)
        ssl_key = <\(place.identity.key)
        service \(kind)-login {
          chroot =
          inet_listener \(kind) {
            port = \(place.port)
          }
          inet_listener \(kind)s {
            port = 0
          }
        }
        service anvil {
          chroot =
        }
        passdb {
          driver = static
          args = nopassword=y
        }
        userdb {
          driver = static
          args = uid=dovecot gid=dovecot home=\(place.folder.path)
        }
        """ + "\n")
      return ["-F", "-c", place.path("dovecot.conf")]
    }
  }

  static let ftp = Daemon(name: "vsftpd", package: "vsftpd", program: "/usr/sbin/vsftpd") { place in
    try place.makeFolder("empty")
    chmod(place.path("empty"), 0o555)
    try place.write(
      "vsftpd.conf",
      """
      listen=YES
      listen_address=127.0.0.1
      listen_port=\(place.port)
      background=NO
      anonymous_enable=YES
      anon_root=\(place.path("empty"))
      secure_chroot_dir=\(place.path("empty"))
      ssl_enable=YES
      allow_anon_ssl=YES
      rsa_cert_file=\(place.identity.certificate)
      rsa_private_key_file=\(place.identity.key)
      ssl_ciphers=HIGH
      seccomp_sandbox=NO
      """ + "\n")
    return [place.path("vsftpd.conf")]
  }

  static let redis = Daemon(name: "Redis", package: "redis-server", program: "/usr/bin/redis-server") {
    place in
    ["--bind", "127.0.0.1", "--port", "\(place.port)", "--save", "", "--dir", place.folder.path]
  }

  static let lockedRedis = Daemon(
    name: "Redis with a password", package: "redis-server", program: "/usr/bin/redis-server"
  ) { place in
    try redis.prepare(place) + ["--requirepass", "a password"]
  }

  static let memcached = Daemon(name: "memcached", package: "memcached", program: "/usr/bin/memcached") {
    place in
    ["-l", "127.0.0.1", "-p", "\(place.port)", "-U", "0", "-m", "8", "-u", "root"]
  }

  static let ldap = Daemon(name: "OpenLDAP", package: "slapd", program: "/usr/sbin/slapd") { place in
    try place.makeFolder("db")
    try place.write(
      "slapd.conf",
      """
      include /etc/ldap/schema/core.schema
      pidfile \(place.path("slapd.pid"))
      modulepath /usr/lib/ldap
      moduleload back_mdb
      TLSCertificateFile \(place.identity.certificate)
      TLSCertificateKeyFile \(place.identity.key)
      database mdb
      maxsize 1048576
      suffix "dc=test"
      directory \(place.path("db"))
      """ + "\n")
    return ["-d", "0", "-f", place.path("slapd.conf"), "-h", "ldap://127.0.0.1:\(place.port)/"]
  }

  static let mqtt = Daemon(name: "Mosquitto", package: "mosquitto", program: "/usr/sbin/mosquitto") { place in
    try place.write(
      "mosquitto.conf",
      "listener \(place.port) 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n")
    return ["-c", place.path("mosquitto.conf")]
  }

  static let xmpp = Daemon(name: "Prosody", package: "prosody", program: "/usr/bin/prosody") { place in
    try place.makeFolder("data")
    try place.write(
      "prosody.cfg.lua",
      """
      pidfile = "\(place.path("prosody.pid"))"
      data_path = "\(place.path("data"))"
      run_as_root = true
      interfaces = { "127.0.0.1" }
      c2s_ports = { \(place.port) }
      modules_enabled = { "tls", "saslauth" }
      modules_disabled = { "s2s" }
      c2s_require_encryption = true
      authentication = "internal_hashed"
      log = { info = "*console" }
      VirtualHost "good.test"
        ssl = { certificate = "\(place.identity.certificate)", key = "\(place.identity.key)" }
      """ + "\n")
    return ["-F", "--config", place.path("prosody.cfg.lua")]
  }
}
