import { printable } from './progress-bar.ts';

/** A file that was left out, and why. */
export type LeftOutPath = { path: string; reason: string };

/** The outcome of all files: `files` = stored + skipped + failed + remaining; `remaining` is 0 unless interrupted. */
export type TransferReport = {
  files: number;
  stored: number;
  skipped: readonly LeftOutPath[];
  failed: readonly LeftOutPath[];
  remaining: number;
  bytes: number;
};

const mostNames = 3;

/** The report as text: one line per failed file, one per reason for skipped files, then the totals. */
export function reportText(report: TransferReport, verb: 'sent' | 'found'): string {
  const { files, stored, skipped, failed, remaining } = report;
  const lines = failed.map(({ path, reason }) => `failed   ${printable(path)}: ${reason}`);
  for (const [reason, entries] of Map.groupBy(skipped, (entry) => entry.reason)) {
    const names = entries.slice(0, mostNames).map((entry) => printable(entry.path));
    const more = entries.length > mostNames ? ` and ${entries.length - mostNames} more` : '';
    lines.push(`skipped  ${names.join(', ')}${more}: ${reason}`);
  }
  const rest = remaining === 0 ? '' : ` + ${remaining} remaining`;
  lines.push(`${files} files ${verb} = ${stored} stored + ${skipped.length} skipped + ${failed.length} failed${rest}`);
  return `${lines.join('\n')}\n`;
}

/** Runs `work` on each item, several concurrently. After a failure, running work is finished and no more is started. */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  let taking: Promise<unknown> = Promise.resolve();
  const take = (): Promise<IteratorResult<T>> => {
    const next = taking.then(() => source.next());
    taking = next.catch(() => undefined);
    return next;
  };
  const loop = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const { done, value } = await take();
        if (done === true) return;
        await work(value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  if (failures.length > 0) throw failures[0];
}
