// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import StatusServer

/// The mark of an agent: one for each socket for commands, however its path is written.
@Suite struct AgentMarkTests {
  @Test func eachSocketHasItsOwn() throws {
    #expect(AgentMark.of(nil) == nil && AgentMark.of(.tcp(host: "127.0.0.1", port: 1)) == nil)
    let mark = try #require(AgentMark.of(.unix(path: "/nowhere/x/agent.sock")))
    #expect(mark.count == 8 && mark == AgentMark.of(.unix(path: "/nowhere/x/agent.sock")))
    #expect(mark != AgentMark.of(.unix(path: "/nowhere/y/agent.sock")))
    #expect(mark != AgentMark.of(.unix(path: "/nowhere/x/other.sock")))
  }

  /// Relative, through a link, and after the folder was deleted.
  @Test func oneFolderIsOne() async throws {
    try await withTemporaryDirectory { folder in
      let state = folder.appending(path: "st")
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: false)
      let link = folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: state)
      let mark = AgentMark.of(.unix(path: state.path + "/agent.sock"))
      #expect(AgentMark.of(.unix(path: link.path + "/agent.sock")) == mark)
      #expect(AgentMark.of(.unix(path: folder.path + "/./st//agent.sock")) == mark)
      let here = FileManager.default.currentDirectoryPath
      #expect(AgentMark.of(.unix(path: "a.sock")) == AgentMark.of(.unix(path: here + "/a.sock")))
    }
  }

  /// `/livez` of an agent with a socket has it, and nothing else does.
  @Test func theAnswerHasIt() async throws {
    var reply = Reply(200, text: "alive\n")
    #expect(!reply.headers.contains { $0.0 == "X-Agent-Mark" })
    reply.mark = "0a1b2c3d"
    #expect(reply.headers.contains { $0 == ("X-Agent-Mark", "0a1b2c3d") })
    var routes = Routes(
      source: try sampleSource(), hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
    routes.mark = "0a1b2c3d"
    for (target, mark) in [("/livez", "0a1b2c3d"), ("/readyz", nil)] as [(String, String?)] {
      #expect(
        await routes.reply(to: StatusRequest(method: .get, target: target, host: "127.0.0.1")).mark == mark,
        "\(target)")
    }
  }
}
