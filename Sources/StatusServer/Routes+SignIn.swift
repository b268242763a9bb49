// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

// Signing in and out. No page of it says anything about the agent, for it is shown before anybody may read.
extension Routes {
  /// `GET /sign-in`.
  func signInPage(_ path: RequestPath, _ request: StatusRequest) -> Reply {
    let person = signIn.person(request.cookie, at: request.port, now: source.now)
    return html {
      SignInPage(person: person, isOn: signIn.isOn, back: PageAct.back(path["to"])).render(nonce: $0)
    }
  }

  /// `POST /sign-in`: answers with the cookie, and leads back to where the person came from.
  func signedIn(_ request: StatusRequest) -> Reply {
    guard request.isOwnPage else { return signInRefused(403, request.foreignWords, "/") }
    guard let form = request.form, let token = form["token"] else {
      return signInRefused(400, "This form could not be read", "/")
    }
    let back = PageAct.back(form["back"])
    let address = request.clientWords
    let origin = request.client?.origin.description ?? address
    let name = form["name"] ?? ""
    switch signIn.signIn(token, name: name, from: origin, through: request.relay, now: source.now) {
    case .welcome(let person, let cookie):
      logSignIn(true, person.name, address)
      var reply = redirect(back)
      reply.cookies = [SignInDesk.header(cookie, at: request.port, isEncrypted: request.isEncrypted)]
      return reply
    case .wrong:
      logSignIn(false, nil, address)
      return signInRefused(401, "This is not the token", back)
    case .later(let seconds):
      var reply = signInRefused(429, "Too many wrong tokens. Try again in \(seconds) s", back)
      reply.retryAfter = seconds
      return reply
    case .off: return signInRefused(403, "No token is set. Set status.run_now_token in agent.yaml", back)
    }
  }

  /// `POST /sign-out`.
  func signedOut(_ request: StatusRequest) -> Reply {
    guard request.isOwnPage else { return signInRefused(403, request.foreignWords, "/") }
    let ended = signIn.end(request.cookie, at: request.port, now: source.now)
    var reply = redirect(FormPath.signIn)
    let own = SignInDesk.header("", at: request.port, isEncrypted: request.isEncrypted)
    // One from before, without a port, would be good again after the next start.
    let headers = [own] + ended.map(SignInDesk.ending)  // bounded: lists
    reply.cookies = headers.enumerated().filter { !headers[..<$0.offset].contains($0.element) }.map(\.element)
    return reply
  }

  /// For a person who may not read yet.
  func signInRefused(_ status: Int, _ problem: String?, _ back: String) -> Reply {
    html(status) { SignInPage(isOn: signIn.isOn, back: back, problem: problem).render(nonce: $0) }
  }
}
