// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Every source follows redirects wherever they lead, from https to http as well, where it follows any.
@Suite struct RedirectTests {
  struct Source: Sendable, CustomTestStringConvertible {
    var format: ImportFormat
    var text: String
    var isFollowed = true
    var testDescription: String { "\(format.rawValue) \(isFollowed)" }
  }

  private static func nagios(_ options: String) -> String {
    """
    define command {
      command_name c
      command_line /p/check_http -H a.example -S \(options)
    }
    define host {
      host_name h
    }
    define service {
      host_name h
      service_description s
      check_command c
    }
    """
  }

  private static func gatus(_ client: String) -> String {
    "endpoints: [{name: a, url: \"https://a.example\", client: {\(client)}, conditions: [\"[STATUS] == 200\"]}]"
  }

  private static func kuma(_ most: Int) -> String {
    "{\"monitorList\": [{\"id\": 1, \"name\": \"a\", \"type\": \"http\", \"url\": \"https://a.example\", \"maxredirects\": \(most)}]}"
  }

  private static func cloudprober(_ more: String) -> String {
    "probe { name: \"p\" type: HTTP targets { host_names: \"a.example\" } http_probe { protocol: HTTPS \(more) } }"
  }

  private static func checkly(_ more: String) -> String {
    "[{\"name\": \"n\", \"request\": {\"url\": \"https://a.example\"\(more)}}]"
  }

  private static func upptime(_ more: String) -> String {
    "owner: a\nsites: [{name: x, url: \"https://a.example\"\(more)}]"
  }

  private static func telegraf(_ follows: Bool) -> String {
    "[[inputs.http_response]]\nurls = [\"https://a.example\"]\nfollow_redirects = \(follows)\n"
  }

  static let sources = [
    Source(format: .gatus, text: gatus("")),
    Source(format: .gatus, text: gatus("ignore-redirect: true"), isFollowed: false),
    Source(format: .uptimeKuma, text: kuma(10)),
    Source(format: .uptimeKuma, text: kuma(0), isFollowed: false),
    Source(format: .cloudprober, text: cloudprober("")),
    Source(format: .cloudprober, text: cloudprober("max_redirects: 0"), isFollowed: false),
    Source(format: .checkly, text: checkly("")),
    Source(format: .checkly, text: checkly(", \"followRedirects\": false"), isFollowed: false),
    Source(format: .upptime, text: upptime("")),
    Source(format: .upptime, text: upptime(", maxRedirects: 0"), isFollowed: false),
    Source(format: .telegraf, text: telegraf(true)),
    Source(format: .telegraf, text: telegraf(false), isFollowed: false),
    Source(format: .nagios, text: nagios("-f follow")),
    Source(format: .nagios, text: nagios(""), isFollowed: false),
  ]

  @Test(arguments: sources) func fromHTTPSToHTTP(source: Source) throws {
    let made = try ReadSource(source.format, source.text)
    let check = try #require(made.imported.checks.first)
    #expect(check["allow_downgrade"]?.word == (source.isFollowed ? "true" : nil))
    #expect((check["follow"]?.word == "false") != source.isFollowed)
    #expect(made.problems == [])
  }

  /// A redirect of the plugin is well, is followed, or is down, which is told where the plugin only warns.
  @Test(arguments: [
    ("", "200-399", false), ("-f ok", "200-399", false), ("-f warning", "200-299", true),
    ("-f critical", "200-299", false), ("-f follow", "", false), ("-f sticky", "", false),
    ("-f stickyport", "", false),
  ])
  func redirectsOfThePlugin(options: String, statuses: String, isTold: Bool) throws {
    let made = try ReadSource(plugin: "check_http -H a.example \(options)")
    let rest = statuses.isEmpty ? "" : "\nfollow: false\nexpect:\n  status: [\(statuses)]"
    #expect(try made.keys() == "type: http\nurl: http://a.example/" + rest)
    #expect(made.reasons.contains("a redirect is a warning there; it is down here") == isTold)
  }
}
