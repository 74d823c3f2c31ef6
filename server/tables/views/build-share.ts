import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const everyMs = 250;

/** Progress of an index build, kept in a file beside the index so that another process can read it. */
export type BuildShare = { reach(share: number): void; end(): void };

export function openBuildShare(indexPath: string): BuildShare {
  const path = shareFileOf(indexPath);
  let writtenAt = -Infinity;
  return {
    reach(share) {
      if (performance.now() - writtenAt < everyMs) return;
      writtenAt = performance.now();
      writeFileSync(path, String(share));
    },
    end: () => rmSync(path, { force: true }),
  };
}

/** Returns a share from 0 to 1; 0 while nothing is known. */
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
