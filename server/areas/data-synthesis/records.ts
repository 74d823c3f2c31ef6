import { isoNow, type Clock } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import { hasRoundedNumber, parseExactly } from '../../kernel/exact-json.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Mending } from '../../kernel/near-json.ts';
import { codedReason, storedReason, templateOf } from '../../kernel/sentences/index.ts';
import { replyCheckOf, type Models } from '../../models/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { SynthesisEditsTable } from '../../storage/database/tables/data-synthesis.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { SynthesisDefinition, SynthesisDetails } from './definition.ts';
import { synthesisErrors } from './errors.ts';
import type { MadeColumn } from './generation.ts';
import { recordSchemaOf } from './record-schema.ts';
import { renderPrompt } from './prompts.ts';
import { countRecords, findEdit, findRecord, listRecords, saveEdit, type FoundRecord } from './queries/records.ts';
import { findRunWithRecords } from './queries/works.ts';
import { createColumnViews } from './columns/column-views.ts';
import { createRegeneration } from './record-regeneration.ts';
import type { Facets, RecordChanges, RecordsQuery, RecordView, Rejection } from './schemas/records.ts';
import type { NewSynthesisTask, SynthesisFields } from './schemas/tasks.ts';
import { contentOf } from './record-rows.ts';
import type { SourceSamples } from './source-samples.ts';

/** The records of a task. All methods throw TASK_NOT_FOUND; those for one record SYNTHESIS_RECORD_NOT_FOUND. */
export type Records = {
  /** Records in the order of the source. Throws RUN_NOT_FOUND. */
  list(taskId: string, query: RecordsQuery): Promise<Page<RecordView>>;
  countFacets(taskId: string, runId: string | undefined): Promise<Facets>;
  get(taskId: string, recordId: string): Promise<RecordView>;
  /** Throws INVALID_PARAMETER if the record does not fit the schema. */
  edit(taskId: string, recordId: string, changes: RecordChanges, by: string): Promise<RecordView>;
  accept(taskId: string, recordId: string, by: string): Promise<RecordView>;
  reject(taskId: string, recordId: string, rejection: Rejection, by: string): Promise<RecordView>;
  /**
   * Makes the record anew with one further call and discards its review. A record that is kept or reviewed is only
   * replaced if the new one is kept. Throws SYNTHESIS_NOT_GENERATED, SYNTHESIS_NOT_REPLACED, SYNTHESIS_BUDGET_USED.
   */
  regenerate(taskId: string, recordId: string, by: string, signal?: AbortSignal): Promise<RecordView>;
};

type Found = { runId: string; details: SynthesisDetails };

export function createRecords({
  db,
  clock,
  models,
  samples,
  runs,
  tasks,
}: {
  db: Database;
  clock: Clock;
  models: Pick<Models, 'chat'>;
  samples: SourceSamples;
  runs: Pick<Runs, 'recount'>;
  tasks: Pick<Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields>, 'get' | 'getRun'>;
}): Records {
  const regenerate = createRegeneration({ db, clock, models, samples, runs });

  /** The current run, otherwise the latest one that has records. */
  async function findLatest(taskId: string): Promise<string | null> {
    const { status, lastRunId } = await tasks.get(taskId);
    return status === 'RUNNING' ? lastRunId : ((await findRunWithRecords(db.read, taskId)) ?? lastRunId);
  }

  /** A run with its details, by default the latest one that has records. */
  async function findRun(taskId: string, runId: string | undefined): Promise<Found | undefined> {
    const wanted = runId ?? (await findLatest(taskId));
    if (wanted === null) return undefined;
    return { runId: wanted, details: (await tasks.getRun(taskId, wanted)).details as SynthesisDetails };
  }

  async function find(taskId: string, recordId: string): Promise<Found & { record: FoundRecord }> {
    const run = await findRun(taskId, undefined);
    const record =
      run === undefined ? undefined : await findRecord(db.read, { taskId, workId: run.details.workId, recordId });
    if (run === undefined || record === undefined) throw synthesisErrors.SYNTHESIS_RECORD_NOT_FOUND({ id: recordId });
    return { ...run, record };
  }

  async function get(taskId: string, recordId: string): Promise<RecordView> {
    const { record, details } = await find(taskId, recordId);
    return viewer(details)(record);
  }

  /** Updates the edit and review of a record, based on the previous ones. */
  async function decide(
    taskId: string,
    recordId: string,
    by: string,
    change: (before: Pick<SynthesisEditsTable, 'output' | 'sequence'>) => Partial<SynthesisEditsTable>,
  ): Promise<RecordView> {
    await db.write(async (tx) => {
      const before = await findEdit(tx, taskId, recordId);
      const empty = { output: null, review: null, review_reason: null, sequence: null };
      const stamps = { task_id: taskId, record_id: recordId, updated_at: isoNow(clock), updated_by: by };
      await saveEdit(tx, { ...empty, ...before, ...change(before ?? empty), ...stamps });
    });
    return get(taskId, recordId);
  }

  return {
    async list(taskId, query) {
      const { runId, search, ...filter } = query;
      const run = await findRun(taskId, runId);
      if (run === undefined) return toPage([], query, 0);
      const wanted = search === undefined || search === '' ? undefined : search.toLowerCase();
      const { workId } = run.details;
      const { rows, total } = await listRecords(db.scan, { ...filter, taskId, workId, search: wanted }, query);
      return toPage(rows.map(viewer(run.details)), query, total);
    },

    async countFacets(taskId, runId) {
      const run = await findRun(taskId, runId);
      const rows = run === undefined ? [] : await countRecords(db.scan, taskId, run.details.workId);
      return {
        facets: rows.map(({ verdict, reason_code: reasonCode, column_name: column, review, count }) => ({
          verdict: verdict as Facets['facets'][number]['verdict'],
          reasonCode,
          reason: reasonCode === null ? null : (templateOf(reasonCode) ?? null),
          column,
          review: review as Facets['facets'][number]['review'],
          count,
        })),
      };
    },

    get,

    async edit(taskId, recordId, { output }, by) {
      const { details } = await find(taskId, recordId);
      if (hasRoundedNumber(output)) throw invalid('output', parameterProblems.NUMBER_TOO_LONG.reason({}));
      const text = JSON.stringify(output);
      const checked = replyCheckOf(recordSchemaOf(details.template))(text);
      if ('problem' in checked) throw invalid('output', checked.problem);
      return decide(taskId, recordId, by, () => ({ output: text }));
    },

    async accept(taskId, recordId, by) {
      const { record } = await find(taskId, recordId);
      if (record.edited_output === null && record.output === null)
        throw synthesisErrors.SYNTHESIS_RECORD_EMPTY({ id: recordId });
      return decide(taskId, recordId, by, () => ({ review: 'ACCEPTED', review_reason: null }));
    },

    async reject(taskId, recordId, { reason }, by) {
      await find(taskId, recordId);
      return decide(taskId, recordId, by, () => ({ review: 'REJECTED', review_reason: reason ?? null }));
    },

    async regenerate(taskId, recordId, by, signal) {
      const found = await find(taskId, recordId);
      const { budget } = await tasks.get(taskId);
      const sequence = await regenerate({ taskId, recordId, budget, ...found }, signal);
      return decide(taskId, recordId, by, () => ({ output: null, review: null, review_reason: null, sequence }));
    },
  };
}

function viewer(details: SynthesisDetails): (row: FoundRecord) => RecordView {
  const columnsOf = createColumnViews(details);
  return (row) => viewOf(row, details, columnsOf);
}

function viewOf(
  row: FoundRecord,
  details: SynthesisDetails,
  columnsOf: ReturnType<typeof createColumnViews>,
): RecordView {
  const generated = row.output === null ? null : (parseExactly(row.output) as Record<string, unknown>);
  const edited = row.edited_output === null ? null : (parseExactly(row.edited_output) as Record<string, unknown>);
  const sample = contentOf(row);
  const isColumns = details.template.columns !== undefined;
  const prompt = isColumns ? undefined : renderPrompt(details.template, sample, details.variables);
  const made = row.made_columns === null ? [] : (parseExactly(row.made_columns) as MadeColumn[]);
  return {
    id: row.record_id,
    number: row.record_no + 1,
    verdict: row.verdict,
    ...codedReason('reason', storedReason('reason', row)),
    column: row.column_name,
    output: edited ?? generated,
    generated: edited === null ? null : generated,
    prompt: prompt !== undefined && 'messages' in prompt ? prompt.messages : [],
    columns: columnsOf(made, sample),
    model: details.model,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cost: row.cost_nano === null ? null : row.cost_nano / 1e9,
      known: row.known === 1,
    },
    score: row.score,
    judgement: row.judgement,
    mended: row.mended === null ? [] : (JSON.parse(row.mended) as Mending[]),
    source: {
      fileId: row.file_id,
      filePath: row.file_path,
      version: details.sourceVersion,
      row: row.row_no,
      start: row.start_at,
      end: row.end_at,
    },
    sourceText: row.text,
    template: { id: details.templateId, version: details.templateVersion },
    sequence: row.sequence,
    edited: edited !== null,
    review: row.review,
    reviewReason: row.review_reason,
    reviewedBy: row.edited_by,
    createdAt: row.created_at,
  };
}
