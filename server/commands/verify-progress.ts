import type { WriteStream } from 'node:tty';

/** Progress of a long command on a single, overwritten line; in a log, a line at intervals. */
export type ProgressLine = {
  update(state: { blobs: number; bytes: number }): void;
  /** Clears the line before other output. */
  clear(): void;
};

const terminalMs = 200;
const logMs = 10_000;

export function createProgressLine(
  stream: Pick<WriteStream, 'write' | 'isTTY'>,
  expected: { blobs: number; bytes: number } | undefined,
): ProgressLine {
  const startedAt = performance.now();
  let shownAt = startedAt;
  let isShown = false;

  function textOf({ blobs, bytes }: { blobs: number; bytes: number }, now: number): string {
    const rate = bytes / Math.max(1, now - startedAt) / 1000;
    const share = expected === undefined || expected.bytes === 0 ? '' : ` (${percent(bytes, expected.bytes)})`;
    return `${blobs} blobs, ${(bytes / 1e6).toFixed(0)} MB read${share}, ${rate.toFixed(0)} MB/s`;
  }

  return {
    update(state) {
      const now = performance.now();
      if (now - shownAt < (stream.isTTY ? terminalMs : logMs)) return;
      shownAt = now;
      isShown = stream.isTTY;
      stream.write(stream.isTTY ? `\r\u001b[K${textOf(state, now)}` : `${textOf(state, now)}\n`);
    },
    clear() {
      if (isShown) stream.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/** Never 100 % before the end, because chunks of uploads are read after the blobs. */
function percent(part: number, whole: number): string {
  return `${Math.min(99, Math.floor((100 * part) / whole))} %`;
}
