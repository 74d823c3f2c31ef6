import { Type, type Static, type TObject } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { itemsOf, listParam, type GivenList } from '../list-param.ts';
import {
  defineOperator,
  type ChineseTexts,
  type Example,
  type Outcome,
  type ParamProblem,
  type Sample,
  type SampleOf,
  type SampleOperator,
} from '../operator.ts';

/** The messages of all column operators. */
export const columnSentences = defineSentences('columns', {
  NO_SUCH_COLUMN: 'the row lacks the column {column}',
  NOTHING_AT_PATH: 'the row has nothing at {path}',
  COLUMN_IS_TAKEN: 'the row has a column {column} already',
  COLUMN_NOT_OF_KIND: '{column} is {value}, which is no {kind}',
  NO_PAIRS: 'must be pairs such as old=new',
  NO_JSON_VALUE: 'must be JSON, such as 0 or ["a"]',
  NO_PATH: 'must be a path such as a.b[0].c',
});

export const columnsParam = listParam({ title: 'Columns', description: 'Names of columns' });

/** What to do with a sample that lacks a column. */
export const missingParam = Type.Union([Type.Literal('FAIL'), Type.Literal('KEEP')], {
  title: 'If a column is missing',
  default: 'FAIL',
  description: 'FAIL: the sample fails. KEEP: the sample is left unchanged',
});

/** What to do with an unreadable value. */
export const unreadableParam = Type.Union([Type.Literal('FAIL'), Type.Literal('KEEP'), Type.Literal('NULL')], {
  title: 'Unreadable values',
  default: 'FAIL',
  description:
    'FAIL: the sample fails, and the reason contains the value. KEEP: the value is left unchanged. NULL: the value becomes null',
});

export const chineseMissing = { title: '缺少该列时', help: 'FAIL：缺少列的样本失败。KEEP：样本保持不变' };

/** The Chinese texts of parameters that several column operators share. */
const sharedChinese = {
  columns: { title: '列', help: '列名' },
  missing: chineseMissing,
  unreadable: {
    title: '无法识别的值',
    help: 'FAIL：样本失败，原因中给出该值。KEEP：保留原值。NULL：变为 null',
  },
};

type SharedParam = keyof typeof sharedChinese;

/** What a column operator declares itself; the shared parameters among its own need no Chinese texts. */
type ColumnMapper<S extends TObject> = {
  id: string;
  version: string;
  name: string;
  description: string;
  params: S;
  check?: (params: Static<S>) => ParamProblem | undefined;
  examples: readonly Example[];
  chinese: Omit<ChineseTexts<Exclude<keyof Static<S> & string, SharedParam>>, 'reasons'>;
  each: (params: Static<S>) => (sample: SampleOf<'columns'>) => Outcome;
};

/** Declares an operator that changes columns of a row. */
export function defineColumnMapper<const S extends TObject>({
  chinese,
  check,
  ...declaration
}: ColumnMapper<S>): SampleOperator {
  const shared = Object.entries(sharedChinese).filter(([name]) => Object.hasOwn(declaration.params.properties, name));
  const texts = { ...Object.fromEntries(shared), ...chinese.params } as ChineseTexts<
    keyof Static<S> & string
  >['params'];
  return defineOperator({
    ...declaration,
    ...(check === undefined ? {} : { check }),
    modality: 'TEXT',
    kind: 'MAPPER',
    categories: ['fields'],
    reads: ['columns'],
    writes: ['columns'],
    chinese: {
      ...chinese,
      params: texts,
      reasons: chineseColumnReasons,
    },
  });
}

type Columns = Sample['columns'];
type Missing = 'FAIL' | 'KEEP';

/** The value of a column; undefined if the sample lacks it and stays unchanged. Throws if the sample must fail. */
export function valueOf(columns: Columns, name: string, missing: Missing): unknown {
  if (Object.hasOwn(columns, name)) return columns[name];
  if (missing === 'KEEP') return undefined;
  throw new ReasonedError(columnSentences.NO_SUCH_COLUMN.reason({ column: JSON.stringify(name) }));
}

/** Maps the values of the listed columns; `map` returns the same value for no change. */
export function eachColumn(
  { columns: list, missing }: { columns: GivenList; missing: Missing },
  map: (value: unknown, name: string) => unknown,
): (sample: SampleOf<'columns'>) => Outcome {
  const names = itemsOf(list);
  return (sample) => {
    const changed: Record<string, unknown> = {};
    for (const name of names) {
      const value = valueOf(sample.columns, name, missing);
      if (value === undefined) continue;
      const mapped = map(value, name);
      if (mapped !== value) changed[name] = mapped;
    }
    return Object.keys(changed).length === 0 ? sample : { columns: changed };
  };
}

/** Handles a value that can not be read as `kind`: keeps it, returns null, or throws. */
export function unreadable(value: unknown, column: string, kind: string, how: 'FAIL' | 'KEEP' | 'NULL'): unknown {
  if (how === 'KEEP') return value;
  if (how === 'NULL') return null;
  throw new ReasonedError(
    columnSentences.COLUMN_NOT_OF_KIND.reason({ column: JSON.stringify(column), value: shortened(value), kind }),
  );
}

export function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A value as text: strings unchanged, null as the empty string, others as JSON. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const chineseColumnReasons = {
  NO_SUCH_COLUMN: '该行没有列 {column}',
  NOTHING_AT_PATH: '该行在 {path} 处没有值',
  COLUMN_IS_TAKEN: '该行已有列 {column}',
  COLUMN_NOT_OF_KIND: '{column} 的值是 {value}，不是 {kind}',
  NO_PAIRS: '必须是成对的名称，如 old=new',
  NO_JSON_VALUE: '必须是 JSON，如 0 或 ["a"]',
  NO_PATH: '必须是路径，如 a.b[0].c',
};
