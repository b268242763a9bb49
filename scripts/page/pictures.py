# SPDX-License-Identifier: MIT
"""PNG pictures, read and written small: as many colours as a page needs, and no tool but Python."""

import struct
import zlib


class Picture:
    """8-bit RGB or RGBA, without interlace: what browsers make of a page."""

    def __init__(self, data):
        place, packed = 8, b""
        while place < len(data):
            size, kind = struct.unpack(">I4s", data[place:place + 8])
            body = data[place + 8:place + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, color, *_, interlace = struct.unpack(">IIBBBBB", body)
                if depth != 8 or color not in (2, 6) or interlace:
                    raise ValueError(f"a picture of {depth} bits, kind {color}")
                self.depth = 3 if color == 2 else 4
            elif kind == b"IDAT":
                packed += body
            place += 12 + size
        self.lines = self.unfiltered(zlib.decompress(packed))

    def unfiltered(self, raw):
        step, size, lines, above = self.depth, self.width * self.depth, [], bytes(self.width * self.depth)
        for start in range(0, len(raw), size + 1):
            way, line = raw[start], bytearray(raw[start + 1:start + 1 + size])
            if way == 1:
                for place in range(step, size):
                    line[place] = line[place] + line[place - step] & 255
            elif way == 2:
                for place in range(size):
                    line[place] = line[place] + above[place] & 255
            elif way == 3:
                for place in range(size):
                    line[place] = line[place] + ((line[place - step] if place >= step else 0) + above[place]) // 2 & 255
            elif way == 4:
                for place in range(size):
                    left, corner = (line[place - step], above[place - step]) if place >= step else (0, 0)
                    line[place] = line[place] + self.nearest(left, above[place], corner) & 255
            above = bytes(line)
            lines.append(above)
        return lines

    @staticmethod
    def nearest(left, up, corner):
        guess = left + up - corner
        a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
        return left if a <= b and a <= c else up if b <= c else corner

    def at(self, x, y):
        return tuple(self.lines[y][x * self.depth:x * self.depth + 3])

    def cut(self, height):
        """Its upper part."""
        self.lines, self.height = self.lines[:height], min(self.height, height)
        return self

    def small(self, colors=64):
        """With a palette: the most frequent colours, and for each other one the nearest of them."""
        dots = [[line[place:place + 3] for place in range(0, len(line), self.depth)] for line in self.lines]
        counts = {}
        for line in dots:
            for dot in line:
                counts[dot] = counts.get(dot, 0) + 1
        kept = self.chosen(counts, colors)
        places = {dot: place for place, dot in enumerate(kept)}
        for dot in counts:
            if dot not in places:
                places[dot] = min(range(len(kept)), key=lambda place: sum((a - b) ** 2 for a, b in zip(dot, kept[place])))
        bits = 4 if len(kept) <= 16 else 8
        rows = b"".join(b"\0" + self.packed(bytes(places[dot] for dot in line), bits) for line in dots)

        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        head = struct.pack(">IIBBBBB", self.width, self.height, bits, 3, 0, 0, 0)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"PLTE", b"".join(kept)) + chunk(b"IDAT", zlib.compress(rows, 9))
                + chunk(b"IEND", b""))

    @staticmethod
    def chosen(counts, colors):
        """The grounds, then the most frequent, but none that is almost another one: else the shades of one line of letters would be
        all."""
        kept = sorted(counts, key=counts.get, reverse=True)[:6]
        for least in (900, 200, 0):
            for dot in sorted(counts, key=counts.get, reverse=True)[:4000]:
                if len(kept) == colors:
                    break
                if dot not in kept and all(sum((a - b) ** 2 for a, b in zip(dot, other)) > least for other in kept):
                    kept.append(dot)
        return kept

    @staticmethod
    def packed(line, bits):
        if bits == 8:
            return line
        line += b"\0" * (len(line) % 2)
        return bytes(line[place] << 4 | line[place + 1] for place in range(0, len(line), 2))
