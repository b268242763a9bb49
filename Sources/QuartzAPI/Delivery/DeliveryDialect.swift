// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Differences between the two receivers: how they acknowledge, and what their refusals mean for an operator.
package enum DeliveryDialect: Hashable, Sendable {
  /// `POST {url}/check-results` of the Quartz API.
  case quartz
  /// PostgREST's `check_results` table.
  case supabase

  package var receiver: String {
    switch self {
    case .quartz: "the quartz api"
    case .supabase: "supabase"
    }
  }

  /// The setting that says where it is.
  package var urlKey: String {
    switch self {
    case .quartz: "quartz.url"
    case .supabase: "quartz.supabase.url"
    }
  }

  /// `nil` for a 2xx that is no acknowledgement.
  package func acknowledgement(_ response: OutboundAnswer, sent: [UniqueID]) -> Acknowledgement? {
    switch self {
    case .quartz: quartzAcknowledgement(response, sent: sent)
    case .supabase: supabaseAcknowledgement(response)
    }
  }

  /// JSON with success true that accounts for every row.
  private func quartzAcknowledgement(_ response: OutboundAnswer, sent: [UniqueID]) -> Acknowledgement? {
    guard let body = response.json, body["success"]?.bool == true, let data = body["data"],
      let accepted = data["accepted"]?.integer, let duplicates = data["duplicates"]?.integer,
      let rows = data["rejected"]?.array, accepted >= 0, duplicates >= 0
    else { return nil }
    var rejected: [Acknowledgement.Rejection] = []
    for row in rows {
      guard let id = row["id"]?.uniqueID, let code = row["code"]?.string else {
        return nil
      }
      rejected.append(.init(id: id, code: code.printable(maxBytes: 40)))
    }
    let ids = Set(sent)
    guard Set(rejected.map(\.id)).count == rejected.count, rejected.allSatisfy({ ids.contains($0.id) }),
      let counted = accepted.sum(duplicates)?.sum(Int64(clamping: rejected.count)),
      counted == Int64(clamping: sent.count), let accepted = Int(exactly: accepted),
      let duplicates = Int(exactly: duplicates)
    else { return nil }
    return Acknowledgement(accepted: accepted, duplicates: duplicates, rejected: rejected)
  }

  /// Exactly 201, and a header that only PostgREST sets: its body is empty, which any proxy can imitate.
  private func supabaseAcknowledgement(_ response: OutboundAnswer) -> Acknowledgement? {
    guard response.status == 201,
      response.header("Content-Range") != nil || response.header("Preference-Applied") != nil
    else { return nil }
    return Acknowledgement()
  }

  /// - Parameter use: the request that the backend refused; Supabase has results only.
  package func unauthorized(_ refusal: Refusal, for use: KeyUse = .results) -> Notice {
    switch self {
    case .quartz where refusal.status == 403 || refusal.code == "42501":
      Notice.warning(
        use.part, "the quartz api accepts the key, but not for \(use.words): \(refusal.words)",
        hint: "give the key the right \(use.right)")
    case .quartz:
      Notice.warning(
        use.part, "the quartz api does not accept the key: \(refusal.words)",
        hint: "check quartz.api_key; the backend also says this while its database is down")
    case .supabase where refusal.isExpired:
      Notice.warning(.delivery, "the session at supabase has expired")
    case .supabase where refusal.status == 403 || refusal.code == "42501":
      Notice.warning(
        .delivery, "supabase does not let this account write results: \(refusal.words)",
        hint:
          "give the account of quartz.supabase.email a role in the team; a Quartz API key is not an account"
      )
    case .supabase:
      Notice.warning(
        .delivery, "supabase does not accept the session: \(refusal.words)",
        hint: "check quartz.supabase.api_key, email and password")
    }
  }

  package func missing(_ refusal: Refusal) -> Notice {
    switch self {
    case .quartz:
      Notice.warning(
        .delivery, "the backend has no ingest route: \(refusal.words)",
        hint: "add the ingest route to the backend, or set quartz.deliver.to: supabase; "
          + "nothing is lost meanwhile")
    case .supabase:
      Notice.warning(
        .delivery, "supabase has no table check_results at this address: \(refusal.words)",
        hint: "set quartz.supabase.url to the project's base, without /rest/v1")
    }
  }
}

/// A use of the key of the Quartz API that needs a right of its own.
package enum KeyUse: Sendable {
  case results, checks, resources

  var words: String {
    switch self {
    case .results: "writing results"
    case .checks: "reading the list of checks"
    case .resources: "writing the states of resources"
    }
  }

  var right: String {
    switch self {
    case .results: "to post results; everything is kept until then"
    case .checks: "to read checks; the last list is used until then"
    case .resources: "to update resources; the states are written again then"
    }
  }

  var part: Notice.Place {
    switch self {
    case .results: .delivery
    case .checks: .checkList
    case .resources: .resources
    }
  }
}
