/** Size of disk reads and writes: larger ones gained nothing, smaller ones cost 10 %. */
export const pieceBytes = 1024 * 1024;

/** Alignment of direct writes; a multiple of every disk's own block. */
export const blockBytes = 4096;

/** A page-aligned buffer of `pieceBytes`; `offset` is its offset in the pool's memory. */
export type PoolBuffer = { readonly bytes: Buffer; readonly offset: number };

/** A writer that holds a buffer. It must save the content elsewhere and return the buffer before `spill` returns. */
export type PoolHolder = { spill(): void };

/**
 * A bounded set of page-aligned buffers, shared by all writers and visible to other threads. A holder that has not touched its
 * buffer for `idleMs` loses it when others wait: a slow client never blocks a fast one.
 */
export type BufferPool = {
  readonly memory: SharedArrayBuffer;
  take(holder: PoolHolder): PoolBuffer | Promise<PoolBuffer>;
  /** Marks the buffer as in use now. */
  touch(buffer: PoolBuffer): void;
  /** Marks the buffer as being written to disk: it can't be taken away any more. */
  keep(buffer: PoolBuffer): void;
  give(buffer: PoolBuffer): void;
};

type Held = { holder: PoolHolder; touchedAt: number };

export function createBufferPool(options: { buffers?: number; idleMs?: number } = {}): BufferPool {
  const { buffers = 24, idleMs = 100 } = options;
  // WebAssembly memory is page-aligned and costs nothing until it is touched.
  const pages = (buffers * pieceBytes) / 65_536;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const shared = memory.buffer as unknown as SharedArrayBuffer;
  // Last in, first out, so that few buffers become resident while few are in use.
  const free: PoolBuffer[] = [];
  for (let index = buffers - 1; index >= 0; index--) {
    const offset = index * pieceBytes;
    free.push({ bytes: Buffer.from(shared, offset, pieceBytes), offset });
  }
  const filling = new Map<PoolBuffer, Held>();
  const waiting: { holder: PoolHolder; resolve(buffer: PoolBuffer): void }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function lend(buffer: PoolBuffer, holder: PoolHolder): PoolBuffer {
    filling.set(buffer, { holder, touchedAt: performance.now() });
    return buffer;
  }

  /** Takes buffers from idle holders while others wait. */
  function reclaim(): void {
    const now = performance.now();
    for (const held of filling.values()) {
      if (waiting.length === 0) return;
      if (now - held.touchedAt >= idleMs) held.holder.spill();
    }
    if (waiting.length > 0) timer ??= setTimeout(retry, idleMs);
  }

  function retry(): void {
    timer = undefined;
    reclaim();
  }

  return {
    memory: shared,
    take(holder) {
      const buffer = free.pop();
      if (buffer !== undefined) return lend(buffer, holder);
      const promise = new Promise<PoolBuffer>((resolve) => waiting.push({ holder, resolve }));
      reclaim();
      return promise;
    },
    touch(buffer) {
      const held = filling.get(buffer);
      if (held !== undefined) held.touchedAt = performance.now();
    },
    keep(buffer) {
      filling.delete(buffer);
    },
    give(buffer) {
      filling.delete(buffer);
      const next = waiting.shift();
      if (next === undefined) free.push(buffer);
      else next.resolve(lend(buffer, next.holder));
      if (waiting.length > 0) return;
      // No one is waiting any more; a pending timer would keep the process alive.
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
