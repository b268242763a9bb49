// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization

/// Speaks to etcd's JSON gateway (`/v3/…`, of 3.4 and newer) over HTTP/1.1. It knows endpoints, tokens and failures, and
/// nothing of groups.
///
/// An endpoint that does not answer within two seconds, or has no leader, is left for the next at once: a request takes as many tries as
/// there are endpoints. Certificates are always verified, redirects are never followed.
package final class EtcdClient: Sendable {
  /// Of one try. Etcd itself waits seven seconds for a quorum that is not there.
  package static let patience: Duration = .seconds(2)
  /// Of one that asks for all there is: an etcd that is behind takes longer for it, and one that is asked again is further
  /// behind.
  static let longPatience: Duration = .seconds(5)

  private let settings: EtcdSettings
  private let transport: EtcdTransport
  private let state = Mutex(State())
  let watch = EtcdWatch()

  private struct State {
    /// The endpoint that answered last.
    var current = 0
    var token: Redacted?
    /// The sign-in under way.
    var signing: (index: Int, task: Task<Result<Redacted?, EtcdFailure>, Never>)?
  }

  package init(_ settings: EtcdSettings, over outbound: Outbound) {
    self.settings = settings
    transport = EtcdTransport(outbound: outbound, tls: settings.tls)
  }

  /// Content of an answer: its JSON, or why there is none.
  package typealias Answer = Result<JSONValue, EtcdFailure>

  /// One call, at one endpoint after the other until one answers.
  package func call(
    _ path: String, _ body: [UInt8], patience: Duration = EtcdClient.patience
  ) async throws(CancellationError) -> Answer {
    let answer = try await tryAll(path, body, patience)
    guard case .failure(let failure) = answer, failure.isStaleToken, settings.user != nil else {
      return answer
    }
    return try await tryAll(path, body, patience)
  }

  private func tryAll(
    _ path: String, _ body: [UInt8], _ patience: Duration
  ) async throws(CancellationError) -> Answer {
    var answer = Answer.failure(EtcdFailure(.unreachable, "group.store.etcd is empty"))
    for _ in settings.endpoints.indices {
      let index = state.withLock { $0.current }
      answer = try await once(path, body, at: index, patience: patience)
      guard case .failure(let failure) = answer, failure.deservesAnother else { return answer }
      leave(index)
    }
    return answer
  }

  /// Goes to the next endpoint, unless another task has done so meanwhile.
  func leave(_ index: Int) {
    state.withLock { state in
      guard state.current == index else { return }
      state.current = (index + 1) % max(1, settings.endpoints.count)  // bounded: a list of the settings
    }
  }

  var current: Int { state.withLock { $0.current } }

  /// At one endpoint, with a token if it takes one.
  package func once(
    _ path: String, _ body: [UInt8], at index: Int, patience: Duration = EtcdClient.patience
  ) async throws(CancellationError) -> Answer {
    let token: Redacted?
    switch try await self.token(at: index) {
    case .success(let found): token = found
    case .failure(let failure): return .failure(failure)
    }
    let answer = try await exchange(path, body, token: token, at: index, patience: patience)
    if case .failure(let failure) = answer, failure.isStaleToken { forget(token) }
    return answer
  }

  /// A token lives for five minutes, and dies with the member that gave it. Another task may have a new one by now.
  func forget(_ token: Redacted?) { state.withLock { if $0.token == token { $0.token = nil } } }

  /// `nil` where none is needed. Requests that need one at the same time sign in once.
  func token(at index: Int) async throws(CancellationError) -> Result<Redacted?, EtcdFailure> {
    guard let user = settings.user else { return .success(nil) }
    if let token = state.withLock({ $0.token }) { return .success(token) }
    let signing = state.withLock { state in
      if let signing = state.signing, signing.index == index { return signing.task }
      let task = Task { await self.signIn(user, at: index) }
      state.signing = (index, task)
      return task
    }
    let answer = await signing.value
    if Task.isCancelled { throw CancellationError() }
    return answer
  }

  private func signIn(_ user: String, at index: Int) async -> Result<Redacted?, EtcdFailure> {
    var json = JSONWriter(reserving: 128)
    json.object { json in
      json.field("name", user)
      json.field("password", settings.password?.reveal() ?? "")
    }
    let answer = try? await exchange("v3/auth/authenticate", json.bytes, token: nil, at: index)
    let token = Self.token(answer ?? .failure(EtcdFailure(.unreachable, "stopped")), at: place(index))
    state.withLock { state in
      if state.signing?.index == index { state.signing = nil }
      if case .success(let token?) = token { state.token = token }
    }
    return token
  }

  private static func token(_ answer: Answer, at place: String) -> Result<Redacted?, EtcdFailure> {
    switch answer {
    case .failure(var failure):
      // An etcd without authentication takes everybody.
      if failure.code == 9 { return .success(nil) }
      if failure.code == 3 || failure.code == 16 {
        failure = EtcdFailure(
          .unauthenticated, "\(place) does not take the user and password", code: failure.code)
      }
      return .failure(failure)
    case .success(let json):
      guard let text = json["token"]?.string, !text.isEmpty, text.utf8.count <= 8192,
        text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
      else { return .failure(EtcdFailure(.garbled, "etcd's answer to the sign-in has no token")) }
      return .success(Redacted(text))
    }
  }

  private func exchange(
    _ path: String, _ body: [UInt8], token: Redacted?, at index: Int, patience: Duration = EtcdClient.patience
  ) async throws(CancellationError) -> Answer {
    switch try await transfer(path, body, token: token, at: index, timeout: patience, stream: nil) {
    case .failure(let failure): return .failure(failure)
    case .success(let answer): return Self.read(answer, at: place(index))
    }
  }

  /// - Parameter stream: told the body as it comes; `nil` when it is in the report.
  func transfer(
    _ path: String, _ body: [UInt8], token: Redacted?, at index: Int, timeout: Duration,
    stream: (@Sendable ([UInt8]) -> Bool)?
  ) async throws(CancellationError) -> Result<OutboundAnswer, EtcdFailure> {
    guard settings.endpoints.indices.contains(index) else {
      return .failure(EtcdFailure(.unreachable, "there is no such endpoint"))
    }
    let sent = try await transport.send(
      path, body, token: token, to: settings.endpoints[index], timeout: timeout, stream: stream)
    return sent.mapError { EtcdFailure($0, at: place(index)) }
  }

  func place(_ index: Int) -> String {
    settings.endpoints.indices.contains(index) ? "etcd at \(settings.endpoints[index].endpoint)" : "etcd"
  }

  package var endpoints: [HTTPURL] { settings.endpoints }

  /// An answer's JSON, or what is wrong in the gateway's words.
  static func read(_ answer: OutboundAnswer, at place: String) -> Answer {
    let json = try? JSONValue.parse(answer.body, maxDepth: StoreBounds.depth)
    guard answer.status == 200 else {
      let text = json == nil ? String(decoding: answer.body.prefix(300), as: UTF8.self) : nil
      return .failure(EtcdFailure(status: answer.status, json, text: text, at: place))
    }
    guard let json, json.members != nil else {
      return .failure(EtcdFailure(.garbled, "\(place) answers 200, but not with JSON"))
    }
    return .success(json)
  }
}

/// Outcome of a call that failed.
package struct EtcdFailure: Error, Hashable, Sendable {
  package var trouble: StoreTrouble
  /// Of gRPC; nil: no answer of etcd.
  package var code: Int64?
  /// Nothing more came in the time that there was.
  package var timedOut = false

  package init(_ kind: StoreTrouble.Kind, _ words: String, code: Int64? = nil) {
    trouble = StoreTrouble(kind, words)
    self.code = code
  }

  /// The gateway's `{"error":…,"code":…}`. Etcd answers what is wrong with a token or a permission by code alone, what is
  /// wrong with itself by code 14, and a full database by its words.
  ///
  /// - Parameter text: an answer that is not JSON.
  init(status: Int, _ json: JSONValue?, text: String? = nil, at place: String) {
    let words = (json?["message"]?.string ?? json?["error"]?.string ?? "status \(status)").printable(
      maxBytes: 200)
    // In a stream the code has another name.
    let code = json?["code"]?.integer ?? json?["grpc_code"]?.integer
    let kind: StoreTrouble.Kind =
      switch (code, status) {
      case (16, _), (_, 401): .unauthenticated
      case (7, _), (_, 403): .denied
      case (8, _): words.contains("space") ? .noSpace : .refused
      case (14, _), (4, _), (_, 503): .noQuorum
      case (nil, _): .garbled
      case (3, _) where words.contains("auth") || words.contains("user name"): .unauthenticated
      default: .refused
      }
    if words == "etcdserver: user name is empty" {
      self.init(kind, "\(place) asks for a user and password, and none is set", code: code)
      return
    }
    // Said by the gateway itself, in plain text, to every request.
    if status == 400, text?.contains("CommonName of client") == true {
      self.init(
        .handshake,
        "\(place) refuses a client certificate with a common name (CN) while etcd's authentication is on: make one without"
      )
      return
    }
    if kind == .garbled, json == nil {
      self.init(kind, "\(place) answers with \(words), and not as etcd does", code: code)
      return
    }
    self.init(kind, "\(place): \(words)", code: code)
  }

  /// The token has expired, or roles were changed since it was given.
  var isStaleToken: Bool {
    trouble.kind == .unauthenticated && code != nil
  }

  /// Another member of the cluster may do better.
  var deservesAnother: Bool {
    switch trouble.kind {
    case .unreachable, .handshake, .noQuorum, .garbled: true
    case .unauthenticated, .denied, .noSpace, .refused: false
    }
  }

  /// There is no such lease (any more).
  package var isMissing: Bool { code == 5 }
}
