import { matchesGlob } from '../../kernel/path-globs.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
import { findTexts, isColumnName, leadsToSeveral, parseFieldPath, type FieldText } from '../../tables/field-paths.ts';
import type { Recipe } from './shard.ts';

/** The configured text columns or paths of a file: those of the first rule that matches its path. */
export function fieldsOf(
  { textField, textFields = [] }: Pick<Recipe, 'textField' | 'textFields'>,
  path: string,
): readonly string[] | null {
  const rule = textFields.find(({ files }) => matchesGlob(path, files));
  return rule?.fields ?? (textField === null ? null : [textField]);
}

/** Finds the texts of rows by paths. */
export type RowTexts = {
  /** Whether a row may have several texts; otherwise it has exactly one. */
  readonly isSeveral: boolean;
  find(row: Readonly<Record<string, unknown>>): readonly FieldText[] | { problem: Reason };
};

/** Undefined if one column holds the text: table readers find it themselves. */
export function createRowTexts(fields: readonly string[] | null): RowTexts | undefined {
  const paths = (fields ?? []).map(parseFieldPath);
  const [only, ...others] = paths;
  if (only === undefined || (others.length === 0 && isColumnName(only))) return undefined;
  return { isSeveral: others.length > 0 || leadsToSeveral(only), find: (row) => findTexts(row, paths) };
}

/** Whether a row may have several texts. */
export function leadsToSeveralTexts(fields: readonly string[]): boolean {
  return createRowTexts(fields)?.isSeveral === true;
}
