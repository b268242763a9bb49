// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// The document of a trace: every field, and none that is not known.
@Suite struct RouteTraceJSONTests {
  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    write(&json)
    return json.text
  }

  @Test func aHop() {
    let answer = TraceAnswer(
      address: .v4(0x0a00_0301), received: 1, best: .milliseconds(1), average: .milliseconds(2),
      worst: .milliseconds(3), flows: [0, 2], name: "r.example", network: "core", replyTTL: 60,
      labels: [MPLSLabel(label: 16, ttl: 5)], says: "prohibited")
    let hop = TraceHop(ttl: 3, sent: 4, answers: [answer], method: .udp)
    #expect(
      text { hop.write(to: &$0) }
        == #"{"ttl":3,"method":"udp","sent":4,"received":1,"loss":75,"answers":[{"address":"10.0.3.1","#
        + #""name":"r.example","network":"core","received":1,"best_ms":1,"avg_ms":2,"worst_ms":3,"#
        + #""reply_ttl":60,"flows":[0,2],"labels":[{"label":16,"ttl":5}],"says":"prohibited"}]}"#)
    #expect(
      text { TraceHop(ttl: 1).write(to: &$0) } == #"{"ttl":1,"sent":0,"received":0,"loss":0,"answers":[]}"#)
  }

  @Test func aNarrowing() {
    let told = TraceNarrowing(ttl: 3, by: .v4(0x0a00_0301), mtu: 1400)
    #expect(text { told.write(to: &$0) } == #"{"ttl":3,"by":"10.0.3.1","mtu":1400}"#)
    let silent = TraceNarrowing(ttl: nil, by: nil, mtu: 1280, isSilent: true)
    #expect(text { silent.write(to: &$0) } == #"{"mtu":1280,"silent":true}"#)
  }

  @Test func eachEnd() {
    let ends: [(TraceEnd, String)] = [
      (.reached("answered"), #"{"kind":"reached","says":"answered"}"#),
      (
        .refused(by: .v4(0x0a00_0301), ttl: 4, says: "no"),
        #"{"kind":"refused","says":"no","by":"10.0.3.1","ttl":4}"#
      ),
      (.refused(by: nil, ttl: 4, says: "no"), #"{"kind":"refused","says":"no","ttl":4}"#),
      (.silent(after: 5), #"{"kind":"silent","ttl":5}"#), (.loop(from: 6), #"{"kind":"loop","ttl":6}"#),
      (.fault("no route"), #"{"kind":"fault","says":"no route"}"#),
    ]
    for (end, json) in ends { #expect(text { end.write(to: &$0) } == json) }
  }
}
