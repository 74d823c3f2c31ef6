import type { Database } from '../../storage/database/database.ts';
import { textOfRecord, type Output } from './checks.ts';
import type { SynthesisDetails } from './definition.ts';
import { createNearDuplicates } from './near-duplicates.ts';
import { listResult, sumRecords } from './queries/records.ts';
import { findWork } from './queries/works.ts';
import type { Diversity } from './schemas/records.ts';

/** Measures how diverse the records of a result are. */
export type DiversityReports = { measure(taskId: string, details: SynthesisDetails): Promise<Diversity> };

const recordsAtOnce = 500;
/** In larger results, this many evenly spaced records are measured. */
const measuredAtMost = 20_000;
const largestRun = 3;
const similarFrom = 0.8;

export function createDiversityReports({ db }: { db: Database }): DiversityReports {
  return {
    async measure(taskId, details) {
      const { workId } = details;
      const work = await findWork(db.read, workId);
      const { samples, records } = await sumRecords(db.scan, workId);
      const every = Math.max(1, Math.ceil(records / measuredAtMost));
      const runs = Array.from({ length: largestRun }, () => ({ all: 0, distinct: new Set<number>() }));
      const lengths: number[] = [];
      const duplicates = createNearDuplicates(similarFrom);
      let [measured, similar, seen] = [0, 0, 0];
      for (let after = -1; ;) {
        const rows = await listResult(db.scan, { taskId, workId, after, limit: recordsAtOnce });
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.record_no;
        for (const row of rows) {
          seen += 1;
          if ((seen - 1) % every !== 0) continue;
          const text = textOfRecord(JSON.parse(row.edited_output ?? row.output ?? '{}') as Output);
          measured += 1;
          lengths.push([...text].length);
          countRuns(text, runs);
          if (duplicates.compare(text) > similarFrom) similar += 1;
        }
        // A page of records takes milliseconds: let other work run in between.
        await new Promise((resolve) => setImmediate(resolve));
      }
      const used = work?.samples ?? 0;
      return {
        records: seen,
        measured,
        distinct: runs.map(({ all, distinct }, at) => ({ words: at + 1, share: all === 0 ? 0 : distinct.size / all })),
        nearDuplicates: measured === 0 ? 0 : similar / measured,
        lengths: lengthsOf(lengths),
        coverage: used === 0 ? 0 : samples / used,
        samples: used,
        samplesWithRecords: samples,
      };
    },
  };
}

const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu;

/** Counts all and the distinct runs of one, two and three words (distinct-n: Li et al., 2016). */
function countRuns(text: string, runs: readonly { all: number; distinct: Set<number> }[]): void {
  const hashes = Array.from(text.toLowerCase().matchAll(word), ([found]) => hashOf(found));
  for (const [index, counted] of runs.entries())
    for (let at = 0; at + index < hashes.length; at += 1) {
      let hash = 0;
      // 48 bits: collisions are negligible even among millions of runs.
      for (let place = at; place <= at + index; place += 1) hash = (hash * 31 + (hashes[place] ?? 0)) % 2 ** 48;
      counted.all += 1;
      counted.distinct.add(hash);
    }
}

function hashOf(text: string): number {
  let hash = 7;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 131 + text.charCodeAt(at)) % 2 ** 44;
  return hash;
}

const bars = 20;

function lengthsOf(lengths: readonly number[]): Diversity['lengths'] {
  const sorted = lengths.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const [least, most] = [at(0), at(1)];
  const width = Math.max(1, Math.ceil((most - least + 1) / bars));
  const histogram = Array.from({ length: Math.ceil((most - least + 1) / width) }, (_, bar) => ({
    from: least + bar * width,
    to: least + (bar + 1) * width,
    count: 0,
  }));
  for (const length of sorted) {
    const bar = histogram[Math.floor((length - least) / width)];
    if (bar !== undefined) bar.count += 1;
  }
  const quantiles = { p0: least, p25: at(0.25), p50: at(0.5), p75: at(0.75), p100: most };
  return { quantiles, histogram: sorted.length === 0 ? [] : histogram };
}
