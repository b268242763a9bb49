// SPDX-License-Identifier: MIT

import Basics

/// The keys of a check. Reading makes a definition; printing shows the definition that a check would be made of, and
/// the default in the docs is the judge's value for a check without the key.
extension CheckDefinition {
  package static let keys: [Key<CheckDefinition>] =
    identity + schedule + network + request + transfer + hostKeys + dnsKeys + pingKeys + heartbeatKeys + [
      tlsGroup(
        "How the handshake is made and judged; of a dns check, for dot and doh", .map(KeyTable(tlsKeys)),
        default: "verified against the system's trust store"
      ).only(.http, .tls, .dns),
      tlsGroup(
        "TLS on the connection: true, or how the handshake is made and judged",
        .either(.flag, .map(KeyTable(tlsKeys))), default: "`false`"
      ).only(.tcp),
      Key(
        "maintenance", .list(.map(.ownMaintenance)),
        "Maintenance windows of this check, as in [configuration.md](configuration.md#maintenance)"
      ) { _, _ in },
      Key(group: "expect", "Conditions; all of them must hold", default: "see each type", expectKeys)
        .only(CheckType.probing),
    ]

  private static let identity: [Key<CheckDefinition>] = [
    Key(\.name, "name", .text, "Name in every output, at most 200 bytes; each only once").required
      .api("resources.name"),
    Key(
      \.id, "id", .text, "A UUID; results and history belong to it",
      default: "derived from the name (UUIDv5), so a new name is a new check"
    ).api("id"),
    Key(
      \.was, "was", .text,
      "First name of the check: results and history it had under that name stay its own. Keep the line as it is, also when the name changes again",
      default: "none"),
    Key(\.type, "type", .word(CheckType.self), "The kind of probe").required.api("check_type"),
    Key(
      "extends", .oneOrMore(.text),
      "Templates whose keys the check inherits; a later one wins over an earlier one",
      default: "none"
    ) { _, _ in },
    Key(
      "hosts", .list(.text),
      "One check for each of these, up to 10000: `${host}` stands for it in the name and in every other value",
      default: "none"
    ) { _, _ in },
    Key(\.plan.enabled, "enabled", .flag, "false: known, but not probed"),
    Key(\.plan.post, "post", .flag, "Deliver results although the API does not list the check"),
    Key(\.resource, "resource", .text, "Id of the resource the check belongs to, a UUID")
      .api("resource_id"),
    Key(\.plan.tags, "tags", .texts, "Up to 32 words of 1 to 64 bytes to group checks by"),
    Key(
      \.plan.runbook, "runbook", .runbook,
      "URL of the runbook, without login; notifications and the check's page link to it"),
  ]

  private static let schedule: [Key<CheckDefinition>] = [
    Key(
      \.interval, "interval", .duration(CheckLimits.interval), "Interval of the probes",
      default: "`defaults.interval`, 60s"
    ).api(APIColumn("check_interval_seconds", unit: .seconds(1), null: 60, most: 86_400)),
    Key(
      \.timeout, "timeout", .duration(CheckLimits.timeout),
      "Timeout of one whole attempt, resolution and redirects included, delays of the agent itself excluded; at most "
        + "the interval", default: "`defaults.timeout`, 10s; the interval if that is less"
    ).only(CheckType.probing).api(APIColumn("timeout_seconds", unit: .seconds(1), null: 30)),
    Key(
      \.plan.retries, "retries", .integer(CheckLimits.retries),
      "Attempts after the first that failed; the run ends with the first success",
      default: "`defaults.retries`, 1"
    ).only(CheckType.probing).api(APIColumn("retry_count", null: 3)),
    Key(
      \.plan.retryDelay, "retry_delay", .duration(CheckLimits.delay), "Between attempts",
      default: "`defaults.retry_delay`, 2s"
    ).only(CheckType.probing).api(APIColumn("retry_delay_ms", unit: .milliseconds(1), null: 2000)),
    Key(
      \.plan.confirmDelay, "confirm_delay", .duration(CheckLimits.delay),
      "Before one more attempt after the last retry; 0s: none. Needs retries",
      shown: { $0.retries > 0 }
    ).only(CheckType.probing).api(APIColumn("confirmation_delay_ms", unit: .milliseconds(1), null: 5000)),
    Key(
      \.plan.intervalFailing, "interval_failing", .duration(CheckLimits.interval),
      "Interval of the probes while the check is down; at most the interval", default: "the interval"),
    Key(
      \.plan.failureThreshold, "failure_threshold", .integer(CheckLimits.failureThreshold),
      "Consecutive failures after which the resource counts the check as down"),
    Key(
      \.plan.dependsOn, "depends_on", .texts,
      "Names or ids of checks, or `tag:` and a tag: while one of them is down, a failure of this check is no downtime"
    ),
    Key(
      given: \.plan.confirm, "confirm",
      "Down only where so many regions find it down, see [places.md](places.md#confirm); needs `group`",
      ConfirmSettings.keys, ConfirmSettings()
    ).only(CheckType.probing),
    Key(
      \.plan.strictDowntime, "strict_downtime", .flag,
      "true: a failure is downtime although a dependency is down"),
    Key(
      \.plan.trace, "trace", .flag,
      "false: the path to the target is not traced on a failure, see "
        + "[configuration.md](configuration.md#trace)"
    ).only(CheckType.probing),
  ]

  private static let network: [Key<CheckDefinition>] = Key.only(
    CheckType.probing,
    [
      Key(\.ip, "ip", .word(IPPreference.self, isQuoted: true), "Family of addresses to use"),
      Key(
        \.addresses, "addresses", .word(AddressScope.self),
        "any: the first address that accepts a connection answers for the host; each: all addresses are probed, and "
          + "one that fails fails the check"),
      Key(
        \.resolver, "resolver", .text, "Name server asked for the target's name, host or host:port",
        default: "the system's"),
      Key(
        \.sourceAddress, "source_address", .text, "One of this machine's addresses, to connect from",
        default: "the kernel's choice"),
      Key(
        \.plan.negate, "negate", .flag,
        "The probe must fail: success and failure change places, unknown stays unknown"),
    ])

  private static let request: [Key<CheckDefinition>] = Key.only(
    [.http],
    [
      Key(
        \.url, "url", .url,
        "URL of the request; http or https, up to 2048 bytes, without user info; letters beyond ASCII in its path are "
          + "sent in percent form, and its dot segments (/./ and /../) are removed"
      ).required.api("url"),
      Key(\.method, "method", .text, "Request method, in capitals; any but CONNECT").api("http_method"),
      Key(\.headers, "headers", .headers, "Request headers, up to 20 and 4096 bytes together")
        .api("custom_headers"),
      Key(
        \.http.body, "body", .hidden,
        "Request body, up to 64KiB; not with HEAD or TRACE, and with GET only where method says GET"),
      Key(
        "body_file", .text,
        "File with the request body instead, at most 64 KiB of UTF-8; relative to this file, read at start and at "
          + "every reload"
      ) { _, _ in },
      Key(group: "auth", "Credentials", authKeys),
    ])

  private static let transfer: [Key<CheckDefinition>] = Key.only(
    [.http],
    [
      Key(\.http.follow, "follow", .flag, "Follow redirects"),
      Key(
        \.maxRedirects, "max_redirects", .integer(CheckLimits.maxRedirects),
        "Redirects followed at most; more is down"),
      Key(
        \.http.allowDowngrade, "allow_downgrade", .flag, "Let a redirect lead from https to http",
        shown: { $0.http.follow }),
      Key(
        \.httpVersion, "http_version", .word(HTTPVersionChoice.self, isQuoted: true),
        "auto: HTTP/2 where TLS negotiates it and no key below rules it out, else 1.1"),
      Key(
        \.proxy, "proxy", .shownProxy,
        "http://[user:password@]host:port (CONNECT for https) or socks5h://…; it resolves the target's name",
        default: "none; the environment's proxy variables are ignored"),
      Key(
        \.http.decompress, "decompress", .flag,
        "Ask for a compressed body where a condition needs one, and judge it decoded"),
      Key(
        \.maxBody, "max_body", .size(CheckLimits.maxBody),
        "Most of the body that is read; more is down where a condition needs the body, and else is left, with `truncated` in the "
          + "result"),
      Key(
        \.http.readBody, "read_body", .flag,
        "Read a body that no condition needs to its end: one that is reset, cut or too slow is down; false stops after "
          + "the headers",
        default:
          "true, but for HEAD and for answers of type `text/event-stream` and `multipart/x-mixed-replace`"),
    ])

  private static let authKeys: [Key<CheckDefinition>] = [
    Key(
      group: "basic", "User name and password, sent with the request (RFC 7617)",
      [
        Key(\.auth.basic.username, "username", .text, "The name, without a colon").required
          .api("http_auth_credentials"),
        Key(\.auth.basic.password, "password", .secret, "The password").required.api("http_auth_credentials"),
      ], present: { root, _ in root.auth.basic.username = root.auth.basic.username ?? "" }),
    Key(
      group: "digest", "User name and password, proved when the server asks (RFC 7616)",
      [
        Key(\.auth.digest.username, "username", .text, "The name").required,
        Key(\.auth.digest.password, "password", .secret, "The password").required,
      ], present: { root, _ in root.auth.digest.username = root.auth.digest.username ?? "" }),
    Key(\.auth.bearer, "bearer", .secret, "A token").api("http_auth_credentials"),
    Key(
      given: \.auth.oauth2, "oauth2", "A token that is fetched first, by client credentials (RFC 6749)",
      OAuth2Definition.keys, OAuth2Definition()),
  ]
}

extension ConfirmSettings: KeyedSettings {
  package static let keys: [Key<ConfirmSettings>] = [
    Key(\.from, "from", .integer(1...places.upperBound), "Regions that must find it down, this one included"),
    Key(\.of, "of", .texts, "Regions with a vote, 2 to 50: names of groups, this agent's among them")
      .required,
    Key(
      \.within, "within", .duration(time),
      "Time for the others to probe and answer; more than the timeout, at most the interval"
    ),
  ]
}

extension OAuth2Definition {
  static let keys: [Key<OAuth2Definition>] = [
    Key(\.tokenURL, "token_url", .url, "URL of the token endpoint; https").required,
    Key(\.clientID, "client_id", .text, "The client's id").required,
    Key(\.clientSecret, "client_secret", .secret, "The client's secret").required,
    Key(\.scopes, "scopes", .texts, "Scopes of the token, up to 16"),
  ]
}
