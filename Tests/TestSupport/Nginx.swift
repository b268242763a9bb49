// SPDX-License-Identifier: MIT

import Foundation

/// One server block of a real nginx.
package struct NginxSite {
  /// Nil: plain http.
  package var identity: TestAuthority.Identity?
  package var http2 = false
  /// Lines inside the server block.
  package var lines: [String]

  package init(_ lines: [String], identity: TestAuthority.Identity? = nil, http2: Bool = false) {
    self.lines = lines
    self.identity = identity
    self.http2 = http2
  }
}

/// Runs `body` with an nginx that lives exactly as long; it gets the ports of the sites, in their order.
package func withNginx<Value>(
  in folder: URL, _ sites: [NginxSite], _ body: ([UInt16]) async throws -> Value
) async throws -> Value {
  let ports = try sites.map { _ in try freePort() }
  let running = folder.appending(path: "nginx.pid")
  try? FileManager.default.removeItem(at: running)
  let configuration = folder.appending(path: "nginx.conf")
  try nginxConfiguration(folder, zip(sites, ports)).write(
    to: configuration, atomically: true, encoding: .utf8)
  let server = try RealServer(
    "/usr/sbin/nginx",
    ["-p", folder.path, "-c", configuration.path, "-e", folder.appending(path: "start.log").path],
    debianPackage: "nginx-light", log: folder.appending(path: "nginx.out"))
  defer { server.stop() }
  // Written after its last socket listens, also those that the sites' own lines open.
  try await server.waitUntilThere(running)
  return try await body(ports)
}

private func nginxConfiguration(_ folder: URL, _ sites: Zip2Sequence<[NginxSite], [UInt16]>) -> String {
  let blocks = sites.map { site, port in
    let tls = site.identity.map { "ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);" } ?? ""
    let flags = site.identity == nil ? "" : site.http2 ? " ssl http2" : " ssl"
    return
      "server { listen 127.0.0.1:\(port)\(flags) backlog=2048; \(tls)\n\(site.lines.joined(separator: "\n"))\n}"
  }
  // Without a master the process is one that the test can end by its id.
  return """
    daemon off; master_process off; worker_processes 1; pid \(folder.path)/nginx.pid;
    error_log \(folder.path)/error.log;
    worker_rlimit_nofile 8192;
    events { worker_connections 4096; }
    http {
      access_log off; keepalive_timeout 5; default_type text/plain;
      client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
      fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
      scgi_temp_path \(folder.path)/scgi;
      \(blocks.joined(separator: "\n"))
    }
    """
}
