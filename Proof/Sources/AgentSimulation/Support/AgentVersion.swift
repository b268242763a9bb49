// SPDX-License-Identifier: MIT

/// What the simulated agents call their version.
let agentVersion = "0"
