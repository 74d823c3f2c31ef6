import { createHash } from 'node:crypto';
import { parseExactly } from '../../kernel/exact-json.ts';
import { foreign, reasonColumns, storedReason, type Reason } from '../../kernel/sentences/index.ts';
import type { SynthesisRecordsTable, SynthesisSamplesTable } from '../../storage/database/tables/data-synthesis.ts';
import type { RecordFailure } from './queries/records.ts';
import { synthesisReasons } from './sentences.ts';
import type { RecordDraft } from './generation.ts';
import type { PromptSample } from './prompts.ts';

/** The content of a stored sample for prompts. */
export function contentOf({
  text,
  fields,
  file_path: filePath,
}: Pick<SynthesisSamplesTable, 'text' | 'fields' | 'file_path'>): PromptSample {
  return { text, row: fields === null ? null : (parseExactly(fields) as Record<string, unknown>), filePath };
}

/** The id of a record; the same in every run of the task. */
export function recordIdOf(taskId: string, sampleKey: string, ordinal: number): string {
  return createHash('sha256')
    .update(JSON.stringify([taskId, sampleKey, ordinal]))
    .digest('base64url')
    .slice(0, 32);
}

/** Why a stored record was dropped or failed, with the column at which it did. */
export function failureOf(row: RecordFailure): Reason {
  return shownReason(storedReason('reason', row), row.column_name);
}

/** The reason of a record, with the column at which it failed. */
export function shownReason(reason: Reason | null, column: string | null): Reason {
  const why = reason ?? foreign('');
  return column === null ? why : synthesisReasons.SYNTHESIS_COLUMN.reason({ column, why });
}

const nanoPerUnit = 1_000_000_000;

/** The columns of a record's row that its calls determine. */
export function recordColumns(
  { verdict, reason, column, output, columns, usage, score, judgement, mended, calls }: RecordDraft,
  now: string,
): Omit<SynthesisRecordsTable, 'work_id' | 'record_no' | 'sample_no' | 'turn_no' | 'record_id' | 'sequence'> {
  return {
    verdict,
    ...reasonColumns('reason', reason),
    reason_code: reason?.sentence?.code ?? null,
    column_name: column,
    made_columns: columns === null ? null : JSON.stringify(columns),
    output: output === null ? null : JSON.stringify(output),
    score,
    judgement,
    mended: mended.length === 0 ? null : JSON.stringify(mended),
    calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost_nano: usage.cost === null ? null : Math.round(usage.cost * nanoPerUnit),
    known: usage.known ? 1 : 0,
    created_at: now,
  };
}
