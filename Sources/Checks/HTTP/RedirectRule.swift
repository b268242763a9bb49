// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Decides what an answer's Location leads to. Pure: addresses are judged afterwards, when they are known.
struct RedirectRule {
  enum Decision: Hashable {
    /// This answer is the one to judge.
    case final
    case follow(HTTPStep)
    /// The messages are of fixed words: where a page points is not ours to repeat.
    case refused(Verdict)
  }

  let settings: HTTPSettings
  /// Requests made so far, to see a circle. It is followed: a server may answer the same request otherwise the next time.
  private var visited: Set<HTTPStep.Key> = []
  /// A request was made that had been made before.
  private var isCircle = false

  init(_ settings: HTTPSettings) { self.settings = settings }

  /// Whether an answer with this status and a Location leads on.
  static func isRedirect(_ status: Int?) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// - Parameter cookies: what the next hop's URL is sent of those set so far.
  mutating func decide(
    after step: HTTPStep, status: Int?, location: String?, cookies: (HTTPURL) -> String? = { _ in nil }
  ) -> Decision {
    if !visited.insert(step.key).inserted { isCircle = true }
    guard settings.follow, let status, Self.isRedirect(status), let location else {
      return .final
    }
    guard step.redirects < settings.maxRedirects else {
      let words = "more than \(settings.maxRedirects) redirects\(isCircle ? ", which lead in a circle" : "")"
      return .refused(Verdict(.httpRedirectLimit, phase: .transfer, message: words))
    }
    let url: HTTPURL
    do throws(HTTPURL.Invalid) { url = try step.url.resolving(location: location) } catch {
      return refuse("redirect to a location that \(error.fixedWords)")
    }
    if step.url.scheme == .https, url.scheme == .http, !settings.allowDowngrade {
      return refuse("redirect from https to http; set allow_downgrade to follow it")
    }
    return follow(step, to: url, status, cookies: cookies(url))
  }

  private func follow(
    _ step: HTTPStep, to url: HTTPURL, _ status: Int, cookies: String?
  ) -> Decision {
    var next = step
    next.url = url
    next.cookies = cookies
    next.redirects += 1
    // As browsers do (Fetch, section 4.4), which RFC 9110 section 15.4 allows.
    if status == 303 && !["GET", "HEAD"].contains(step.method)
      || (status == 301 || status == 302) && step.method == "POST"
    {
      next.method = "GET"
      next.sendsBody = false
    }
    if url.origin != step.url.origin {
      // Of one host, it goes where everybody who listens on the way has seen it already.
      let isUpgrade = step.url.scheme == .http && url.scheme == .https && url.host == step.url.host
      guard !next.sendsBody || isUpgrade else {
        return refuse("redirect would carry the request's body to another origin")
      }
      next.sendsOwnHeaders = false
      if url.host != step.url.host { next.staysOnHost = false }
    }
    return .follow(next)
  }

  private func refuse(_ message: String) -> Decision {
    .refused(Verdict(.httpRedirectRefused, phase: .transfer, message: message))
  }

  /// A hop the egress policy denies, or, for a stranger's check, one that does not resolve. No word on which, no
  /// timing: a page must not map the network around the agent.
  static let denied = Verdict(
    .httpRedirectRefused, phase: .transfer,
    message: "redirect to a host that does not resolve or that the egress policy does not allow")

  /// Why an address that a Location names cannot be dialled, which is the target's doing. `nil` where it can.
  static func refusal(of address: IPAddress, ip: IPPreference, origin: CheckOrigin) -> Verdict? {
    let words: String
    if !ip.allows(address) {
      words = "an IPv\(address.version) address, and the check asks for IPv\(ip.rawValue)"
    } else if origin == .api {
      // The policy refuses the rest.
      return nil
    } else if address.needsZone {
      words = "a link-local address, which needs a zone"
    } else if address.addressClass == .multicast || address == .v4(.max) {
      words = "a multicast or broadcast address"
    } else {
      return nil
    }
    return Verdict(.httpRedirectRefused, phase: .transfer, message: "redirect to \(words)")
  }
}

extension HTTPStep {
  struct Key: Hashable, Sendable {
    var url: HTTPURL
    var method: String
    var sendsOwnHeaders: Bool
    var cookies: String?
  }

  var key: Key { Key(url: url, method: method, sendsOwnHeaders: sendsOwnHeaders, cookies: cookies) }
}
