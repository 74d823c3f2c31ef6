import type { WriteStream } from 'node:tty';

/** Shows progress: redrawn in place on a terminal, one line per quarter elsewhere. */
export type ProgressBar = {
  /** `fraction` is 0..1; `detail` follows the bar. */
  update(fraction: number, detail: string): void;
  end(detail: string): void;
};

const width = 28;

export function startProgressBar(out: WriteStream | NodeJS.WritableStream, label: string): ProgressBar {
  const isTerminal = 'isTTY' in out && out.isTTY;
  let shownQuarter = -1;
  const draw = (fraction: number, detail: string, isLast: boolean): void => {
    const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
    const line = `${label.padEnd(10)} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${detail}`;
    if (isTerminal) {
      out.write(`\r\u001b[2K${line}${isLast ? '\n' : ''}`);
      return;
    }
    const quarter = Math.floor(fraction * 4);
    if (!isLast && (quarter <= shownQuarter || quarter === 4)) return;
    shownQuarter = quarter;
    out.write(`${line}\n`);
  };
  return {
    update: (fraction, detail) => {
      draw(fraction, detail, false);
    },
    end: (detail) => {
      draw(1, detail, true);
    },
  };
}

/** `1234567` → `1.2 MB`. */
export function humanBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
