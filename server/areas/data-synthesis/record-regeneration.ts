import { type FailureCounts, failuresOf } from '../../kernel/failure-counts.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { foreign, storedReason } from '../../kernel/sentences/index.ts';
import type { Models } from '../../models/index.ts';
import { noCounts, type Counts, type Runs } from '../../runs/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { readSeedRows } from './columns/seed-rows.ts';
import type { SynthesisDetails } from './definition.ts';
import { synthesisErrors } from './errors.ts';
import { isBudgetExhausted } from './generation.ts';
import {
  findEdit,
  findLastSequence,
  findRecord,
  lockRecords,
  updateRecord,
  type FoundRecord,
} from './queries/records.ts';
import { createRecordMaker } from './record-maker.ts';
import { contentOf, failureOf, recordColumns } from './record-rows.ts';
import type { SynthesisFields } from './schemas/tasks.ts';
import type { SourceSamples } from './source-samples.ts';

/** A record with its run, and the budget of its task. */
type Regenerated = {
  taskId: string;
  recordId: string;
  runId: string;
  details: SynthesisDetails;
  record: FoundRecord;
  budget: SynthesisFields['budget'];
};

/**
 * Makes a record anew with one further call and returns the number of the call. Throws SYNTHESIS_NOT_GENERATED,
 * SYNTHESIS_NOT_REPLACED, SYNTHESIS_BUDGET_USED.
 */
export function createRegeneration({
  db,
  clock,
  models,
  samples,
  runs,
}: {
  db: Database;
  clock: Clock;
  models: Pick<Models, 'chat'>;
  samples: SourceSamples;
  runs: Pick<Runs, 'recount'>;
}): (regenerated: Regenerated, signal: AbortSignal | undefined) => Promise<number> {
  return async ({ taskId, recordId, runId, details, record, budget }, signal) => {
    const unusable = storedReason('problem', record);
    if (unusable !== null) throw synthesisErrors.SYNTHESIS_NOT_REPLACED({ cause: unusable });
    const { workId, sample_no: sampleNo } = { workId: record.work_id, sample_no: record.sample_no };
    const sequence = await db.write(async (tx) => {
      await lockRecords(tx, workId, sampleNo);
      const next = Math.max((await findLastSequence(tx, workId, sampleNo)) + 1, details.perSample);
      // Reserves this number: with the same one, another record of the sample would get the same reply.
      await updateRecord(tx, { work_id: workId, record_no: record.record_no, sequence: next });
      return next;
    });
    const sample = contentOf(record);
    const asker = { runId, sampleId: `${workId}:${sampleNo}`, budget: { id: workId, caps: budget }, signal };
    const rows = await readSeedRows(samples, details.template.columns, details.seedVersions ?? {});
    const maker = createRecordMaker(models, details, { earlier: undefined, rows });
    const place = { key: record.sample_key, ordinal: record.turn_no, sequence };
    try {
      const generated = await maker.generate(sample, place, asker);
      const made = await maker.grade(generated, sample, asker);
      if (made.problem !== undefined)
        throw synthesisErrors.SYNTHESIS_NOT_GENERATED({ cause: made.reason ?? foreign('') });
      const replace = async (tx: Tx): Promise<CountChange> => {
        await lockRecords(tx, workId, sampleNo);
        const before = await findRecord(tx, { taskId, workId, recordId });
        const edit = await findEdit(tx, taskId, recordId);
        const isGood = before?.verdict === 'KEPT' || (edit?.output ?? null) !== null || (edit?.review ?? null) !== null;
        if (made.verdict === 'FAILED' || (made.verdict === 'DROPPED' && isGood))
          throw synthesisErrors.SYNTHESIS_NOT_REPLACED({ cause: made.reason ?? foreign('') });
        await updateRecord(tx, {
          work_id: workId,
          record_no: record.record_no,
          sequence,
          ...recordColumns(made, isoNow(clock)),
        });
        return changeOf(before, made.verdict);
      };
      await db.write((tx) => runs.recount(tx, runId, () => replace(tx)));
    } catch (error) {
      if (!isBudgetExhausted(error)) throw error;
      throw synthesisErrors.SYNTHESIS_BUDGET_USED({ cause: reasonOf(error) }, { cause: error });
    }
    return sequence;
  };
}

type CountChange = { counts: Counts; failures: FailureCounts };

/** How a run's counts change when a record gets another verdict. */
function changeOf(before: FoundRecord | undefined, after: FoundRecord['verdict']): CountChange {
  const counts = { ...noCounts };
  const none: FailureCounts = new Map();
  const add = (verdict: FoundRecord['verdict'], count: number): void => {
    if (verdict === 'KEPT') counts.kept += count;
    else if (verdict === 'DROPPED') counts.dropped += count;
    else counts.failed += count;
  };
  if (before === undefined) return { counts, failures: none };
  add(before.verdict, -1);
  add(after, 1);
  // A regeneration never results in a failed record; the old one would stay.
  const isReplaced = before.verdict === 'FAILED';
  return { counts, failures: isReplaced ? failuresOf(failureOf(before), -1) : none };
}
