import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Of the whole time, what reading takes; writing the index takes the rest. */
const readingShare = 0.8;
const everyRows = 4_096;
const everyMs = 250;

/** How far the build of an index is, in a file beside it, which another process can read. */
export type BuildShare = { readTo(position: number): void; end(): void };

export function openBuildShare(indexPath: string, sizeBytes: number): BuildShare {
  const path = shareFileOf(indexPath);
  let [rows, writtenAt] = [0, 0];
  return {
    readTo(position) {
      rows += 1;
      if (rows % everyRows !== 0 || performance.now() - writtenAt < everyMs) return;
      writtenAt = performance.now();
      writeFileSync(path, String((readingShare * position) / Math.max(1, sizeBytes)));
    },
    end: () => rmSync(path, { force: true }),
  };
}

/** From 0 to 1; 0 as long as nothing is known. */
export function readBuildShare(indexPath: string): number {
  try {
    const share = Number(readFileSync(shareFileOf(indexPath), 'utf8'));
    return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  } catch {
    return 0;
  }
}

function shareFileOf(indexPath: string): string {
  return `${indexPath}.share`;
}
