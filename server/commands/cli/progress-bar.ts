import type { WriteStream } from 'node:tty';

/** Progress of an upload or download on one line of a terminal; in a log, a line at intervals. */
export type ProgressBar = {
  update(state: BarState): void;
  /** Clears the line before other output. */
  clear(): void;
};

export type BarState = { bytes: number; ofBytes: number; files: number; ofFiles: number; name: string };

const terminalMs = 100;
const logMs = 10_000;
const barWidth = 24;

export function createProgressBar(
  stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>,
  isQuiet: boolean,
): ProgressBar {
  const startedAt = performance.now();
  let shownAt = stream.isTTY ? 0 : startedAt;
  let firstBytes: number | undefined;
  let isShown = false;

  function textOf({ bytes, ofBytes, files, ofFiles, name }: BarState, now: number): string {
    const sinceStart = bytes - (firstBytes ?? 0);
    const rate = (sinceStart / Math.max(1, now - startedAt)) * 1000;
    const share = ofBytes === 0 ? 1 : Math.min(1, bytes / ofBytes);
    const filled = Math.floor(share * barWidth);
    const left = rate > 0 && now - startedAt > 2000 ? `, ${timeText((ofBytes - bytes) / rate)} left` : '';
    const bar = stream.isTTY ? `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ` : '';
    return `${bar}${Math.floor(share * 100)} %, ${files}/${ofFiles} files, ${sizeText(bytes)} of ${sizeText(ofBytes)}, ${sizeText(rate)}/s${left}  ${printable(name)}`;
  }

  return {
    update(state) {
      firstBytes ??= state.bytes;
      const now = performance.now();
      if (isQuiet || now - shownAt < (stream.isTTY ? terminalMs : logMs)) return;
      shownAt = now;
      isShown = stream.isTTY;
      const text = textOf(state, now);
      stream.write(stream.isTTY ? `\r\u001b[K${text.slice(0, (stream.columns || 80) - 1)}` : `${text}\n`);
    },
    clear() {
      if (isShown) stream.write('\r\u001b[K');
      isShown = false;
    },
  };
}

export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Replaces control characters in an untrusted name, which a terminal would interpret. */
export function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}
