// SPDX-License-Identifier: MIT
//
// Stands in for `serve` of Deno's library: on a loopback port of the kernel's choice, which is the only line it prints.

export function serve(handler: (request: Request) => Response | Promise<Response>): void {
  Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: ({ port }) => console.log(port) }, handler);
}
