import type { Database } from '../../storage/database/database.ts';
import type { SynthesisSamplesTable, SynthesisWorksTable } from '../../storage/database/tables/data-synthesis.ts';
import { textOfRecord, type Output } from './checks.ts';
import { createNearDuplicates, type NearDuplicates } from './near-duplicates.ts';
import { listComparedRecords, listRecordNumbers } from './queries/records.ts';
import { listSamples } from './queries/works.ts';
import { synthesisReasons as reasons } from './sentences.ts';

const samplesAtOnce = 500;
const numbersAtOnce = 5000;

/** The texts of the records stored so far. */
export async function readEarlier(
  db: Database,
  workId: string,
  limit: number | null,
): Promise<NearDuplicates | undefined> {
  if (limit === null) return undefined;
  const earlier = createNearDuplicates(limit);
  const judged = reasons.SYNTHESIS_JUDGED.reason({ score: 0, limit: 1 }).sentence?.code ?? '';
  for (let after = -1; ;) {
    const rows = await listComparedRecords(db.scan, workId, { after, limit: numbersAtOnce, judged });
    for (const { output } of rows) earlier.compare(textOfRecord(JSON.parse(output) as Output));
    const last = rows.at(-1);
    if (last === undefined) return earlier;
    after = last.record_no;
  }
}

/** Numbers of the records not stored yet, ascending. */
export async function* missingNumbers(
  db: Database,
  { work_id: workId, samples }: SynthesisWorksTable,
  perSample: number,
): AsyncGenerator<number, undefined> {
  const total = samples * perSample;
  let next = 0;
  for (let after = -1; ;) {
    const known = await listRecordNumbers(db.read, workId, after, numbersAtOnce);
    for (const number of known) {
      for (; next < number; next += 1) yield next;
      // Records that this drive has stored meanwhile lie before `next`.
      next = Math.max(next, number + 1);
    }
    const last = known.at(-1);
    if (last === undefined || known.length < numbersAtOnce) break;
    after = last;
  }
  for (; next < total; next += 1) yield next;
  return undefined;
}

/** Reads samples in pages, since records are made roughly in order. */
export function createSampleReader(db: Database, workId: string): (number: number) => Promise<SynthesisSamplesTable> {
  let page: SynthesisSamplesTable[] = [];
  return async (number) => {
    const first = page[0]?.sample_no ?? 0;
    if (page[number - first] === undefined)
      page = await listSamples(db.read, workId, { from: number, limit: samplesAtOnce });
    const found = page[number - (page[0]?.sample_no ?? 0)];
    if (found === undefined) throw new Error(`Work ${workId} has no sample ${number}`);
    return found;
  };
}
