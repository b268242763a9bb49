/* SPDX-License-Identifier: MIT */

/*
 * Decoders of HTTP's content codings (RFC 9110 section 8.4.1), one shape for all: zlib for gzip (RFC 1952) and
 * deflate (RFC 1950, and RFC 1951 as many servers mean it), brotli (RFC 7932), zstd (RFC 8878). libcurl has the same
 * libraries inside, but does not say that a stream never came to its end: half of a page then looks like the page.
 *
 * Memory: each decoder allocates through its own account and gets no more than QUARTZ_..._MEMORY, whatever the stream
 * asks for; quartz_decoder_step then is BAD and `refused` is set.
 *
 * Ownership: quartz_decoder_open allocates, NULL when memory is out or the kind is unknown; quartz_decoder_close frees.
 * Threads: a decoder belongs to one thread at a time.
 */
#ifndef QUARTZ_CCURL_CODINGS_H
#define QUARTZ_CCURL_CODINGS_H

/* For ZSTD_createDCtx_advanced, which every build of the library since 1.3 has. */
#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY
#endif

#include <brotli/decode.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum quartz_coding { QUARTZ_GZIP, QUARTZ_ZLIB, QUARTZ_DEFLATE, QUARTZ_BROTLI, QUARTZ_ZSTD };

/* Outcome of a step. */
enum quartz_decoding { QUARTZ_DECODING_MORE, QUARTZ_DECODING_END, QUARTZ_DECODING_BAD };

struct quartz_decoder {
  enum quartz_coding coding;
  z_stream zlib;
  BrotliDecoderState *brotli;
  ZSTD_DCtx *zstd;
  /* Bytes it holds now, held at most, and may hold. */
  size_t used, peak, limit;
  /* It asked for more than that, or memory is out. */
  int refused;
};

/* 8 MiB, the most that RFC 9659 lets a content coding ask for. */
#define QUARTZ_ZSTD_WINDOW_LOG 23

/* Memory of each decoder, in bytes. zlib: a window of 32 KiB and its tables. brotli: a window of 16 MiB, half of it again
 * while it grows, and three groups of 256 tables. zstd: its window, a block on either side, and its tables. */
#define QUARTZ_ZLIB_MEMORY ((size_t)64 << 10)
#define QUARTZ_BROTLI_MEMORY ((size_t)29 << 20)
#define QUARTZ_ZSTD_MEMORY ((size_t)10 << 20)

static inline size_t quartz_decoder_memory(enum quartz_coding coding) {
  switch (coding) {
    case QUARTZ_BROTLI: return QUARTZ_BROTLI_MEMORY;
    case QUARTZ_ZSTD: return QUARTZ_ZSTD_MEMORY;
    default: return QUARTZ_ZLIB_MEMORY;
  }
}

/* Room for a block's size before it, without loss of alignment. */
#define QUARTZ_BLOCK_HEAD 16

static inline void *quartz_decoder_take(void *opaque, size_t size) {
  struct quartz_decoder *decoder = opaque;
  unsigned char *block = NULL;
  if (size <= decoder->limit - decoder->used) block = malloc(size + QUARTZ_BLOCK_HEAD);
  if (!block) {
    decoder->refused = 1;
    return NULL;
  }
  *(size_t *)(void *)block = size;
  decoder->used += size;
  if (decoder->used > decoder->peak) decoder->peak = decoder->used;
  return block + QUARTZ_BLOCK_HEAD;
}

static inline void quartz_decoder_give(void *opaque, void *address) {
  struct quartz_decoder *decoder = opaque;
  if (!address) return;
  unsigned char *block = (unsigned char *)address - QUARTZ_BLOCK_HEAD;
  decoder->used -= *(size_t *)(void *)block;
  free(block);
}

static inline void *quartz_decoder_take_items(void *opaque, unsigned items, unsigned size) {
  return quartz_decoder_take(opaque, (size_t)items * size);
}

static inline struct quartz_decoder *quartz_decoder_open(enum quartz_coding coding) {
  struct quartz_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->coding = coding;
  decoder->limit = quartz_decoder_memory(coding);
  decoder->zlib.zalloc = quartz_decoder_take_items;
  decoder->zlib.zfree = quartz_decoder_give;
  decoder->zlib.opaque = decoder;
  int ready = 0;
  switch (coding) {
    case QUARTZ_GZIP: ready = inflateInit2(&decoder->zlib, 15 + 16) == Z_OK; break;
    case QUARTZ_ZLIB: ready = inflateInit2(&decoder->zlib, 15) == Z_OK; break;
    case QUARTZ_DEFLATE: ready = inflateInit2(&decoder->zlib, -15) == Z_OK; break;
    case QUARTZ_BROTLI:
      decoder->brotli = BrotliDecoderCreateInstance(quartz_decoder_take, quartz_decoder_give, decoder);
      /* Windows beyond RFC 7932's 16 MiB belong to no content coding. */
      ready = decoder->brotli &&
              BrotliDecoderSetParameter(decoder->brotli, BROTLI_DECODER_PARAM_LARGE_WINDOW, 0) == BROTLI_TRUE;
      break;
    case QUARTZ_ZSTD:
      decoder->zstd = ZSTD_createDCtx_advanced(
          (ZSTD_customMem){quartz_decoder_take, quartz_decoder_give, decoder});
      ready = decoder->zstd &&
              !ZSTD_isError(ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, QUARTZ_ZSTD_WINDOW_LOG));
      break;
  }
  if (ready) return decoder;
  if (decoder->brotli) BrotliDecoderDestroyInstance(decoder->brotli);
  if (decoder->zstd) ZSTD_freeDCtx(decoder->zstd);
  free(decoder);
  return NULL;
}

static inline void quartz_decoder_close(struct quartz_decoder *decoder) {
  if (!decoder) return;
  if (decoder->coding == QUARTZ_BROTLI) BrotliDecoderDestroyInstance(decoder->brotli);
  else if (decoder->coding == QUARTZ_ZSTD) ZSTD_freeDCtx(decoder->zstd);
  else inflateEnd(&decoder->zlib);
  free(decoder);
}

/* One step: advances *used and *made. MORE with nothing left to read and room left to write means: feed me. END is the
 * end of the stream, or of a zstd frame or gzip member, which another may follow. */
static inline enum quartz_decoding quartz_decoder_step(
    struct quartz_decoder *decoder, const uint8_t *bytes, size_t count, size_t *used,
    uint8_t *room, size_t capacity, size_t *made) {
  switch (decoder->coding) {
    case QUARTZ_BROTLI: {
      size_t left = count, space = capacity;
      BrotliDecoderResult result =
          BrotliDecoderDecompressStream(decoder->brotli, &left, &bytes, &space, &room, NULL);
      *used = count - left;
      *made = capacity - space;
      if (result == BROTLI_DECODER_RESULT_ERROR) return QUARTZ_DECODING_BAD;
      return result == BROTLI_DECODER_RESULT_SUCCESS ? QUARTZ_DECODING_END : QUARTZ_DECODING_MORE;
    }
    case QUARTZ_ZSTD: {
      ZSTD_inBuffer in = {bytes, count, 0};
      ZSTD_outBuffer out = {room, capacity, 0};
      size_t result = ZSTD_decompressStream(decoder->zstd, &out, &in);
      *used = in.pos;
      *made = out.pos;
      if (ZSTD_isError(result)) return QUARTZ_DECODING_BAD;
      return result == 0 ? QUARTZ_DECODING_END : QUARTZ_DECODING_MORE;
    }
    default: {
      z_stream *stream = &decoder->zlib;
      stream->next_in = (Bytef *)bytes;
      stream->avail_in = (uInt)count;
      stream->next_out = room;
      stream->avail_out = (uInt)capacity;
      int result = inflate(stream, Z_NO_FLUSH);
      *used = count - stream->avail_in;
      *made = capacity - stream->avail_out;
      if (result == Z_STREAM_END) return QUARTZ_DECODING_END;
      /* Z_BUF_ERROR: nothing to do with what there is. */
      return result == Z_OK || result == Z_BUF_ERROR ? QUARTZ_DECODING_MORE : QUARTZ_DECODING_BAD;
    }
  }
}

/* After END: the same decoder for the gzip member that follows. Zero when that went well. */
static inline int quartz_decoder_restart(struct quartz_decoder *decoder) {
  return decoder->coding == QUARTZ_GZIP ? inflateReset(&decoder->zlib) : 0;
}

#endif
