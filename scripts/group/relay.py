# SPDX-License-Identifier: MIT
"""Stands between an agent and the store, and gives on what the agent says half a second later.

Arguments: addresses of the store; the first is reached by port 7000 of this machine, the next by 7001, and so on.
"""

import asyncio
import socket
import sys

DELAY, MARK = 0.5, 77


async def pump(reader, writer, delay):
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()

    async def write():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()

    task = asyncio.create_task(write())
    try:
        while data := await reader.read(65536):
            queue.put_nowait((loop.time() + delay, data))
    except OSError:
        pass
    queue.put_nowait((loop.time() + delay, b""))
    await asyncio.gather(task, return_exceptions=True)


async def serve(number, address):
    async def connected(reader, writer):
        wire = socket.socket()
        wire.setblocking(False)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, MARK)
        try:
            await asyncio.sleep(DELAY)
            await asyncio.get_running_loop().sock_connect(wire, (address, 2379))
            back, forth = await asyncio.open_connection(sock=wire)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, forth, DELAY), pump(back, writer, 0), return_exceptions=True)

    return await asyncio.start_server(connected, "0.0.0.0", 7000 + number)


async def main():
    servers = [await serve(number, address) for number, address in enumerate(sys.argv[1:])]
    print("ready", flush=True)
    await asyncio.gather(*(each.serve_forever() for each in servers))


asyncio.run(main())
