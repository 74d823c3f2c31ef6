import type { Asker, CallProblem, Models } from '../../models/index.ts';
import { textOfRecord } from './checks.ts';
import type { SynthesisDetails } from './definition.ts';
import type { SeedRows } from './columns/seed-rows.ts';
import { addUsage, storableReason, type Generator, type RecordDraft } from './generation.ts';
import { createGenerator } from './generators.ts';
import { judge } from './judging.ts';
import type { NearDuplicates } from './near-duplicates.ts';
import type { PromptSample } from './prompts.ts';
import { synthesisReasons as reasons } from './sentences.ts';

/** Makes records in three steps; the second must run in the order of the records. */
export type RecordMaker = {
  /** Calls the model and checks its reply. Throws BudgetExhaustedError. */
  generate: Generator['generate'];
  /** Compares a record with earlier ones. */
  compare(record: RecordDraft): RecordDraft;
  /** Grades a record if the task has a judge. Throws BudgetExhaustedError. */
  grade(record: RecordDraft, sample: PromptSample, asker: Asker): Promise<RecordDraft>;
};

export function createRecordMaker(
  models: Pick<Models, 'chat'>,
  details: SynthesisDetails,
  { earlier, rows }: { earlier: NearDuplicates | undefined; rows: SeedRows },
): RecordMaker {
  const { template, variables, model, checks, judge: judging } = details;
  const { generate } = createGenerator(models, { template, variables, model, checks }, rows);
  return {
    generate,

    compare(record) {
      const limit = checks.similarToRecords ?? null;
      if (record.verdict !== 'KEPT' || record.output === null || earlier === undefined || limit === null) return record;
      const similarity = earlier.compare(textOfRecord(record.output));
      if (similarity <= limit) return record;
      const figures = { similarity: similarity.toFixed(2), limit: limit.toFixed(2) };
      return { ...record, verdict: 'DROPPED', reason: reasons.SYNTHESIS_LIKE_RECORD.reason(figures) };
    },

    async grade(record, sample, asker) {
      const { output } = record;
      if (record.verdict !== 'KEPT' || output === null || judging === null) return record;
      const by = { rubric: judging.rubric, model: judging.model ?? model };
      const found = await judge(models, by, { output, source: sample, asker });
      const calls = record.calls + (found.usage?.known === true ? 0 : 1);
      const usage = found.usage === undefined ? record.usage : addUsage(record.usage, found.usage);
      if ('failure' in found) {
        const reason = reasons.SYNTHESIS_JUDGE_FAILED.reason({ why: storableReason(found.failure) });
        const failed = { ...record, verdict: 'FAILED' as const, reason, usage, calls };
        return found.problem === undefined ? failed : { ...failed, problem: found.problem };
      }
      const { score, why: judgement } = found;
      const graded = { ...record, usage, calls, score, judgement };
      if (score >= judging.minScore) return graded;
      return {
        ...graded,
        verdict: 'DROPPED',
        reason: reasons.SYNTHESIS_JUDGED.reason({ score, limit: judging.minScore }),
      };
    },
  };
}

/** Problems that would also affect every further call. */
const lasting: readonly CallProblem[] = ['unauthorized', 'not-found', 'quota', 'forbidden'];

export function isLasting(problem: CallProblem | undefined): boolean {
  return problem !== undefined && lasting.includes(problem);
}
