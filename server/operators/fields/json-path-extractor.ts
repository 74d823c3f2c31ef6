import { Type } from 'typebox';
import { isExactNumber, parseWithoutLoss } from '../../kernel/exact-json.ts';
import { JsonTooLarge } from '../../kernel/json-memory.ts';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { columnSentences, defineColumnMapper, missingParam, valueOf } from './columns.ts';

export const jsonPathExtractor = defineColumnMapper({
  id: 'json-path-extractor',
  version: '1.1.0',
  name: 'Extract a value from nested columns',
  description:
    'Copies the value at a path within a column into another column; a text that contains JSON is parsed. Paths use the same syntax as text columns: names separated by dots, [0] for one item, and [*] for a list of the values of all items, with null for items without the value; a second [*] makes nested lists.',
  params: Type.Object({
    path: Type.String({
      title: 'Path',
      default: 'text',
      maxLength: 1000,
      description: 'Path that begins with the column, such as meta.author.name, tags[0], messages[*].role or a["b.c"]',
    }),
    column: Type.String({
      title: 'Target column',
      default: 'value',
      minLength: 1,
      maxLength: 200,
      description: 'Column to write the value to',
    }),
    missing: missingParam,
  }),
  check: ({ path }) =>
    stepsOf(path) === undefined ? { field: 'path', problem: columnSentences.NO_PATH.reason({}) } : undefined,
  examples: [
    {
      title: 'A nested value',
      params: { path: 'meta.author.name', column: 'author' },
      input: '{"meta":{"author":{"name":"王"}}}',
      output: '{"meta":{"author":{"name":"王"}},"author":"王"}',
    },
    {
      title: 'An item',
      params: { path: 'tags[1]', column: 'tag' },
      input: '{"tags":["a","b"]}',
      output: '{"tags":["a","b"],"tag":"b"}',
    },
    {
      title: 'All items',
      params: { path: 'm[*].role', column: 'roles' },
      input: '{"m":[{"role":"user"},{"role":"bot"}]}',
      output: '{"m":[{"role":"user"},{"role":"bot"}],"roles":["user","bot"]}',
    },
    {
      title: 'An item without the value',
      params: { path: 'm[*].n', column: 'n' },
      input: '{"m":[{"n":1},{},{"n":1727334455667788993}]}',
      output: '{"m":[{"n":1},{},{"n":1727334455667788993}],"n":[1,null,1727334455667788993]}',
    },
    {
      title: 'A text that contains JSON',
      params: { path: 'raw["a.b"]', column: 'n' },
      input: '{"raw":"{\\"a.b\\":1}"}',
      output: '{"raw":"{\\"a.b\\":1}","n":1}',
    },
    {
      title: 'No value at the path',
      params: { path: 'meta.x', missing: 'KEEP' },
      input: '{"meta":{}}',
      output: '{"meta":{}}',
    },
  ],
  chinese: {
    name: '从嵌套列取值',
    description:
      '把列中某路径处的值写入另一列；内容为 JSON 的文本按 JSON 读取。路径与文本列相同：名称用点分隔，[0] 表示一项，[*] 表示每一项的值组成的列表，缺少该值的项为 null；第二个 [*] 得到列表中的列表。',
    params: {
      path: { title: '路径', help: '以列名开头，如 meta.author.name、tags[0]、messages[*].role 或 a["b.c"]' },
      column: { title: '写入', help: '得到该值的列' },
    },
    examples: {
      'A nested value': '嵌套的值',
      'An item': '一项',
      'All items': '所有项',
      'An item without the value': '缺少该值的项',
      'A text that contains JSON': '内容为 JSON 的文本',
      'No value at the path': '没有值',
    },
  },
  each: ({ path, column, missing }) => {
    const [first, ...rest] = stepsOf(path) ?? [];
    return (sample) => {
      const start = valueOf(sample.columns, String(first), missing);
      const found = start === undefined ? undefined : at(start, rest);
      if (found !== undefined) return { columns: { [column]: found } };
      if (missing === 'KEEP') return sample;
      throw new ReasonedError(columnSentences.NOTHING_AT_PATH.reason({ path: JSON.stringify(path) }));
    };
  },
});

/** A member name, an index, or null for all items. */
type Step = string | number | typeof allItems;
const allItems = null;

/** The steps of a path; undefined if it is invalid. */
function stepsOf(path: string): Step[] | undefined {
  const steps: Step[] = [];
  const step = /(?:^|\.)([^.[\]]+)|\[(\d{1,9})\]|\[(\*)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (step.lastIndex < path.length) {
    const [whole, name, index, all, quoted] = step.exec(path) ?? [];
    if (whole === undefined) return undefined;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (all !== undefined) steps.push(allItems);
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
  }
  return typeof steps[0] === 'string' ? steps : undefined;
}

function at(value: unknown, [step, ...rest]: readonly Step[]): unknown {
  if (step === undefined) return value;
  const inside = typeof value === 'string' ? parsed(value) : value;
  if (Array.isArray(inside)) {
    const items: readonly unknown[] = inside;
    if (step === allItems) return items.map((item) => at(item, rest) ?? null);
    return typeof step === 'number' && step < items.length ? at(items[step], rest) : undefined;
  }
  if (step === allItems || typeof inside !== 'object' || inside === null || isExactNumber(inside)) return undefined;
  if (!Object.hasOwn(inside, step)) return undefined;
  return at((inside as Readonly<Record<string, unknown>>)[step], rest);
}

function parsed(text: string): unknown {
  try {
    return parseWithoutLoss(text);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw error;
    return undefined;
  }
}
