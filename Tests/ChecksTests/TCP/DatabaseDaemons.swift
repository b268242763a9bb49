// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport

extension Daemon {
  /// Asks for a password, as most do.
  static let postgres = Daemon(
    name: "PostgreSQL", package: "postgresql-15", program: "/usr/bin/setpriv"
  ) { place in
    let programs = "/usr/lib/postgresql/15/bin"
    guard FileManager.default.isExecutableFile(atPath: "\(programs)/initdb") else {
      throw MissingServer(program: "\(programs)/initdb", debianPackage: "postgresql-15")
    }
    // It will not run as root.
    let isRoot = geteuid() == 0
    let asUser = isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    try place.makeFolder("data")
    for (name, source) in [("cert.pem", place.identity.certificate), ("key.pem", place.identity.key)] {
      try FileManager.default.copyItem(atPath: source, toPath: place.path(name))
    }
    chmod(place.path("key.pem"), 0o600)
    if isRoot {
      try runTool("/bin/chown", ["postgres", "data", "cert.pem", "key.pem"], in: place.folder)
    }
    try runTool(
      "/usr/bin/setpriv",
      asUser + [
        "\(programs)/initdb", "-D", place.path("data"), "-N", "-U", "postgres", "-A", "scram-sha-256",
        "--pwfile",
        "/etc/debian_version", "--locale=C",
      ], in: URL(filePath: "/"))
    return asUser + [
      "\(programs)/postgres", "-D", place.path("data"), "-h", "127.0.0.1", "-p", "\(place.port)", "-k", "",
      "-F",
      "-c", "ssl=on", "-c", "ssl_cert_file=\(place.path("cert.pem"))", "-c",
      "ssl_key_file=\(place.path("key.pem"))",
    ]
  }

  static let mysql = Daemon(name: "MariaDB", package: "mariadb-server", program: "/usr/sbin/mariadbd") {
    place in
    try runTool(
      "/usr/bin/mariadb-install-db",
      [
        "--no-defaults", "--datadir=\(place.path("data"))", "--auth-root-authentication-method=normal",
        "--skip-test-db", "--user=root", "--innodb-flush-method=nosync",
      ], in: place.folder)
    return [
      "--no-defaults", "--datadir=\(place.path("data"))", "--user=root", "--port=\(place.port)",
      "--bind-address=127.0.0.1", "--socket=\(place.path("s"))", "--pid-file=\(place.path("p"))",
      "--ssl-cert=\(place.identity.certificate)", "--ssl-key=\(place.identity.key)",
      "--innodb-flush-method=nosync", "--skip-name-resolve", "--max-connect-errors=3",
    ]
  }
}
