// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension Routes {
  /// `POST /checks/{id}/run`: runs the check and leads back to its page.
  func runFromPage(_ path: RequestPath, _ request: StatusRequest) async -> Reply {
    guard runNow.token != nil else { return await refused(403, Self.off, Self.offHint, request) }
    guard operatorOf(request) != nil else {
      return signInFirst(request, back: "/checks/\(path.segments[1].printable(maxBytes: 64))")
    }
    guard button.accepts(path, request) else {
      return await refused(
        403, Self.foreign(request), "open the check again and press the button there", request)
    }
    guard let id = UniqueID(path.segments[1]) else {
      return await refused(404, "No check has this id", nil, request)
    }
    let outcome = await source.runNow(id)
    switch outcome {
    case .done: return said(outcome.words, nil, back: "/checks/\(id.description)", request)
    case .noSuchCheck: return await refused(404, "No enabled check has this id", nil, request)
    case .busy(let why): return await refused(409, "Not now: \(why)", nil, request)
    case .stopping: return await refused(503, "The agent is ending", nil, request)
    }
  }
}
