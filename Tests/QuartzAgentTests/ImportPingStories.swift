// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// Pings of each source, imported and run once: the echo requests that arrive are those that the other monitor sends.
@Suite(.enabled(if: geteuid() == 0, "raw sockets need root")) struct ImportPingStories {
  struct Source: CustomTestStringConvertible, Sendable {
    var format: String
    var text: String
    /// Bytes of payload of each packet, by the source's own rule or the agent's default where it says none.
    var payloads: [Int]
    var testDescription: String { format }
  }

  static let sources: [Source] = [
    Source(
      format: "blackbox",
      text: """
        modules:
          odd: {prober: icmp, timeout: 3s, icmp: {payload_size: 111}}
        scrape_configs:
          - job_name: odd
            metrics_path: /probe
            params: {module: [odd]}
            static_configs: [{targets: ["127.0.0.1"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
        """, payloads: [111]),
    Source(
      format: "telegraf",
      text: """
        [[inputs.ping]]
        urls = ["127.0.0.1"]
        method = "native"
        count = 3
        ping_interval = 0.02
        size = 91
        """, payloads: [91, 91, 91]),
    Source(
      format: "nagios",
      text: ImportPortStories.nagios("check_icmp -H $HOSTADDRESS$ -n 3 -b 93 -i 20ms -w 900,20% -c 990,60%"),
      payloads: [93, 93, 93]),
    Source(
      format: "icinga2",
      text: """
        object Host "odd" {
          address = "127.0.0.1"
        }
        object Service "s" {
          host_name = "odd"
          check_command = "icmp"
          max_check_attempts = 1
          vars.icmp_packets = 2
          vars.icmp_data_bytes = 95
          vars.icmp_packet_interval = 15
        }
        """, payloads: [95, 95]),
    Source(
      format: "checkly",
      text: """
        [{"name": "odd", "checkType": "ICMP", "request": {"hostname": "127.0.0.1", "pingCount": 3, "assertions": [
          {"source": "LATENCY", "property": "avg", "comparison": "LESS_THAN", "target": "900"}]}}]
        """, payloads: [56, 56, 56]),
    Source(
      format: "uptime-kuma",
      text: """
        {"monitorList": [{"id": 1, "name": "odd", "interval": 60, "maxretries": 0, "type": "ping",
          "hostname": "127.0.0.1", "packetSize": 97, "ping_count": 2}]}
        """, payloads: [97, 97]),
    Source(
      format: "cloudprober",
      text: """
        probe { name: "odd" type: PING targets { host_names: "127.0.0.1" }
          ping_probe { packets_per_probe: 3 payload_size: 99 packets_interval_msec: 12 } }
        """, payloads: [99, 99, 99]),
    Source(
      format: "gatus",
      text: "endpoints: [{name: odd, url: \"icmp://127.0.0.1\", conditions: [\"[CONNECTED] == true\"]}]",
      payloads: [56]),
    Source(
      format: "smokeping",
      text: """
        *** Database ***
        step = 300
        pings = 2
        *** Probes ***
        + FPing
        binary = /usr/bin/fping
        packetsize = 101
        *** Targets ***
        + odd
        probe = FPing
        host = 127.0.0.1
        """, payloads: [101, 101]),
  ]

  @Test(arguments: zip(sources, sources.indices)) func whatArrives(_ source: Source, number: Int) async throws
  {
    let address = "127.0.77.\(number + 1)"
    let listener = try #require(EchoListener(address))
    defer { listener.close() }
    try await withTemporaryDirectory { folder in
      try source.text.replacing("127.0.0.1", with: address).write(
        to: folder.appending(path: "source"), atomically: true, encoding: .utf8)
      let made = try await AgentProcess(["import", source.format, "source", "-o", "agent.yaml"], in: folder)
        .finish()
      #expect(made.status < 2, "\(made.stderr)")
      let run = try await AgentProcess(["once", "-c", "agent.yaml"], in: folder).finish()
      #expect(run.status == 0, "\(made.stderr) \(run.stdout) \(run.stderr)")
      #expect(listener.payloads() == source.payloads)
    }
  }
}

/// Sees the echo requests that are sent to an address of this machine (raw(7)): all that came lie in the socket.
private struct EchoListener {
  private let socket: Int32

  init?(_ address: String) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_RAW.rawValue), Int32(IPPROTO_ICMP))
    guard socket >= 0 else { return nil }
    var local = sockaddr_in()
    local.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, address, &local.sin_addr)
    let bound = withUnsafePointer(to: &local) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else {
      close()
      return nil
    }
  }

  func close() { Glibc.close(socket) }

  /// Bytes behind the header of each echo request (RFC 792), in the order in which they came.
  func payloads() -> [Int] {
    var sizes: [Int] = []
    var packet = [UInt8](repeating: 0, count: 4096)
    while true {
      let length = recv(socket, &packet, packet.count, Int32(MSG_DONTWAIT))
      guard length > 0 else { return sizes }
      let header = Int(packet[0] & 15) * 4
      if length >= header + 8, packet[header] == 8 { sizes.append(length - header - 8) }
    }
  }
}
