// SPDX-License-Identifier: MIT
// The names are those on the wire, as the apps have them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Basics
import Foundation
import History
import Monitoring
import Status
import Testing

/// The API's documents decode into models shaped like those of the Quartz apps, by their names and without a word of ours.
@Suite struct QuartzModelTests {
  struct Envelope<Payload: Decodable>: Decodable {
    struct Meta: Decodable {
      var timestamp: Date
      var request_id: String?
      var total: Int?
      var limit: Int?
      var offset: Int?
    }

    struct Failure: Decodable {
      var code: String
      var message: String
    }

    var success: Bool
    var data: Payload?
    var error: Failure?
    var meta: Meta?
  }

  struct Check: Decodable {
    var id: UUID
    var resource_id: UUID?
    var check_type: String
    var url: String
    var interval: Int
    var timeout: Int
    var is_enabled: Bool
  }

  struct Result: Decodable {
    enum Status: String, Decodable { case success, failure, timeout }

    var id: UUID
    var check_id: UUID
    var status: Status
    var response_time: Double?
    var status_code: Int?
    var checked_at: Date
  }

  struct Dashboard: Decodable {
    struct Resources: Decodable { var total, up, down, degraded: Int }
    struct Alerts: Decodable { var active, critical, warning: Int }
    struct Uptime: Decodable {
      var average: Double?
      var period: String
    }

    var resources: Resources
    var alerts: Alerts
    var uptime: Uptime
  }

  private func decoded<Payload: Decodable & Sendable>(_ type: Payload.Type, _ path: String) async throws
    -> Envelope<Payload>
  {
    let body = try await withServer(try sampleSource()) { try await get($0, path).body }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      return try Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    }
    return try decoder.decode(Envelope<Payload>.self, from: Data(body.utf8))
  }

  @Test func checksDecode() async throws {
    let envelope = try await decoded([Check].self, "/api/v1/checks")
    #expect(envelope.success && envelope.meta?.total == 5)
    let check = try #require(envelope.data?.first)
    #expect(check.check_type == "http" && check.url.contains("shop.example") && check.interval == 60)
    #expect(check.timeout == 10 && check.is_enabled)
    #expect(envelope.data?.last?.is_enabled == false)
  }

  @Test func resultsDecode() async throws {
    let id = try #require(try sampleSource().status.checks.first?.id)
    let envelope = try await decoded([Result].self, "/api/v1/checks/\(id)/results?limit=3")
    let results = try #require(envelope.data)
    #expect(
      results.count == 3 && results.allSatisfy { $0.check_id.uuidString.lowercased() == id.description })
    #expect(results[0].status == .failure && results[0].status_code == 503)
    #expect(results[0].response_time ?? 0 > 0 && results[0].checked_at > results[1].checked_at)
  }

  @Test func theDashboardDecodes() async throws {
    let envelope = try await decoded(Dashboard.self, "/api/v1/dashboard")
    let dashboard = try #require(envelope.data)
    #expect(
      dashboard.resources.total == 4 && dashboard.resources.down == 1 && dashboard.resources.degraded == 1)
    #expect(dashboard.alerts.active == dashboard.alerts.critical + dashboard.alerts.warning)
    #expect(dashboard.alerts.critical >= 1 && dashboard.uptime.period == "24h")
    #expect(dashboard.uptime.average ?? 0 > 90)
  }

  @Test func aFailureDecodes() async throws {
    let envelope = try await decoded([Check].self, "/api/v1/nothing")
    #expect(!envelope.success && envelope.data == nil && envelope.error?.code == "NOT_FOUND")
  }
}
