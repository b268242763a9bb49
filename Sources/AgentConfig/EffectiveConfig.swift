// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The configuration as it is in force: defaults filled in, references resolved, secrets left out.
package enum EffectiveConfig {
  /// YAML that `ConfigLoader` reads back to the same settings, but for what is `<redacted>`.
  package static func print(_ settings: Settings) -> String {
    var printer = KeyPrinter(secretPaths: settings.secretPaths)
    printer.settings(settings)
    return printer.text
  }
}
