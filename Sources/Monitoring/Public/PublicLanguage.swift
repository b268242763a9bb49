// SPDX-License-Identifier: MIT

import Basics

/// Language of the public page, by its tag (BCP 47). Its words are in `StatusServer`, a file for each.
package enum PublicLanguage: String, CaseIterable, Hashable, Sendable {
  case english = "en"
  case german = "de"
  case french = "fr"
  case spanish = "es"
  case portuguese = "pt"
  case japanese = "ja"
}
