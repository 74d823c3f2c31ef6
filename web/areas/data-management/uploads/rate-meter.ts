const windowMs = 8_000;

/** Transfer rate over the last eight seconds. Times in milliseconds of one clock. */
export function createRateMeter(): {
  add(bytes: number, atMs: number): void;
  bytesPerSecond(atMs: number): number;
  clear(): void;
} {
  let marks: { atMs: number; bytes: number }[] = [];
  return {
    add(bytes, atMs) {
      marks.push({ atMs, bytes });
    },
    bytesPerSecond(atMs) {
      marks = marks.filter((mark) => mark.atMs > atMs - windowMs);
      const first = marks[0];
      if (first === undefined) return 0;
      const span = Math.max(1_000, Math.min(windowMs, atMs - first.atMs));
      return (marks.reduce((sum, { bytes }) => sum + bytes, 0) * 1000) / span;
    },
    clear() {
      marks = [];
    },
  };
}
