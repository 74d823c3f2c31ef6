import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import type { FieldText } from '../../../tables/field-paths.ts';
import { noField } from '../../../tables/table-layout.ts';
import type { ValueChange } from '../../../tables/json-values.ts';
import type { RowPart, TableRows } from '../../../tables/table-rows.ts';
import type { Judgement } from './chain.ts';
import { changesOf, rowSource, textColumnsOf } from './row-parts.ts';
import type { RowTexts } from '../../orders/row-texts.ts';
import type { WrittenParts } from '../../orders/sample-parts.ts';
import type { OfferedSample } from './shard-context.ts';

type SampleRead = ReturnType<OfferedSample['read']> & { places?: readonly FieldText[] };

/** Reads a row as a sample. `places`: the paths of its texts, if steps may write more than the text of one column. */
export function readSample(
  rows: TableRows,
  part: RowPart,
  { field, rowTexts, isTextOnly }: { field: string; rowTexts: RowTexts | undefined; isTextOnly: boolean },
): SampleRead {
  if (rowTexts === undefined && field === noField) {
    const unread = rows.open(part);
    return unread ?? { text: '', places: [], source: rowSource(() => rows.exactValues(part), []) };
  }
  if (rowTexts === undefined) {
    const found = rows.read(part);
    if ('problem' in found) return found;
    if (isTextOnly) return found;
    const places = [{ field, path: [field], text: found.text }];
    return { ...found, places, source: rowSource(() => rows.exactValues(part), [field]) };
  }
  const unread = rows.open(part);
  if (unread !== undefined) return unread;
  const places = rowTexts.find(rows.values(part));
  if ('problem' in places) return places;
  const source = isTextOnly ? {} : { source: rowSource(() => rows.exactValues(part), textColumnsOf(places)) };
  if (rowTexts.isSeveral) return { texts: places, places, ...source };
  return { text: places[0]?.text ?? '', places, ...source };
}

export type RowResult = { texts: readonly string[]; written: WrittenParts | undefined };

/** The rows that replace a row: one with all its texts, or one per part of its only text. */
export function outputsOf(
  { texts, written }: Pick<Judgement, 'texts'> & { written?: Judgement['written'] | undefined },
  rowTexts: Pick<RowTexts, 'isSeveral'> | undefined,
): RowResult[] {
  if (texts.length === 0) return [];
  if (rowTexts?.isSeveral === true) return [{ texts, written: written?.[0] }];
  return texts.map((text, index) => ({ texts: [text], written: written?.[index] }));
}

/** Why the row can't hold what the steps wrote. */
export function refusalOf(
  rows: TableRows,
  part: RowPart,
  outputs: readonly RowResult[],
  places: readonly FieldText[],
  /** Whether the rows are written as JSON, which has room for any columns. */
  isJson = false,
): Reason | undefined {
  const row = rows.exactValues(part);
  for (const output of outputs) {
    const changes = changesOf(row, places, output);
    const problem = 'problem' in changes ? changes.problem : isJson ? undefined : rows.refuseValues(changes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The changes that turn a row into one of its replacements. */
export function rowChanges(
  rows: TableRows,
  part: RowPart,
  output: RowResult,
  places: readonly FieldText[],
): readonly ValueChange[] {
  const changes = changesOf(rows.exactValues(part), places, output);
  if ('problem' in changes) throw new ReasonedError(changes.problem);
  return changes;
}

export function replaced(rows: TableRows, part: RowPart, output: RowResult, places: readonly FieldText[]): Uint8Array {
  return rows.replace(part, rowChanges(rows, part, output, places));
}
