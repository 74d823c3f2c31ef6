import { parseJsonText } from '../../../kernel/json-text.ts';
import { JsonTooLarge } from '../../../kernel/json-memory.ts';
import { isDeepStrictEqual } from 'node:util';
import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { Message, Sample } from '../../../operators/index.ts';
import type { FieldText } from '../../../tables/field-paths.ts';
import type { ValueChange } from '../../../tables/json-values.ts';
import type { SampleSource, WrittenParts } from '../../orders/sample-parts.ts';
import type { ValuePath } from '../../../tables/json-spans.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The parts of a row besides its texts; `values` returns all its columns, `textColumns` are the columns whose whole
 * value is a text.
 */
export function rowSource(values: () => Values, textColumns: readonly string[]): SampleSource {
  let known: Values | undefined;
  const row = (): Values => (known ??= values());
  const [textColumn, ...others] = textColumns;
  return {
    fields: () => fieldsOf(row(), textColumns),
    columns: row,
    ...(textColumn === undefined || others.length > 0 ? {} : { textColumn }),
    messages: () => findConversation(row())?.messages ?? [],
  };
}

function fieldsOf(row: Values, textColumns: readonly string[]): Sample['fields'] {
  if (!textColumns.some((name) => Object.hasOwn(row, name))) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !textColumns.includes(name)));
}

/** The columns whose whole value is one of the texts. */
export function textColumnsOf(texts: readonly FieldText[]): string[] {
  return texts.flatMap(({ path: [name, ...rest] }) => (rest.length === 0 && typeof name === 'string' ? [name] : []));
}

/**
 * The changes to write into the row: each new text and the other parts that steps wrote, with their paths; or why the
 * row can't hold them.
 */
export function changesOf(
  row: Values,
  before: readonly FieldText[],
  { texts, written }: { texts: readonly string[]; written: WrittenParts | undefined },
): readonly ValueChange[] | { problem: Reason } {
  const { fields = {}, textName, messages, media } = written ?? {};
  if (media !== undefined) return { problem: inputProblems.ROW_NO_MEDIA.reason({}) };
  const column = textColumnsOf(before).find((name) => Object.hasOwn(fields, name));
  if (column !== undefined) {
    return { problem: inputProblems.FIELD_HOLDS_TEXT.reason({ field: JSON.stringify(column) }) };
  }
  const isTaken = Object.entries(fields).some(([, value]) => value === undefined);
  return [
    ...before.flatMap(({ path, text }, index) => (texts[index] === text ? [] : [{ path, value: texts[index] }])),
    ...(textName === undefined ? [] : before.map(({ path }) => ({ path, name: textName }))),
    ...(isTaken
      ? columnChanges(row, fields)
      : Object.entries(fields).map(([name, value]) => ({ path: [name], value }))),
    ...(messages === undefined ? [] : messageChanges(row, messages)),
  ];
}

/** A row with the columns that steps wrote; a renamed column keeps its place, as in the row that is written. */
export function withChanges(row: Values, fields: Values): Values {
  const isTaken = Object.values(fields).includes(undefined);
  const names = new Map(
    (isTaken ? columnChanges(row, fields) : []).flatMap((change) =>
      'name' in change ? [[String(change.path[0]), change.name] as const] : [],
    ),
  );
  const inPlace = Object.fromEntries(Object.entries(row).map(([name, value]) => [names.get(name) ?? name, value]));
  return Object.fromEntries(Object.entries({ ...inPlace, ...fields }).filter(([, value]) => value !== undefined));
}

/** The changes of columns; a new column with the value of a removed one counts as a rename. */
function columnChanges(row: Values, fields: Values): ValueChange[] {
  const taken = Object.keys(fields).filter((name) => fields[name] === undefined && Object.hasOwn(row, name));
  const changes: ValueChange[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const old = Object.hasOwn(row, name) ? -1 : taken.findIndex((other) => isDeepStrictEqual(row[other], value));
    const [from] = old === -1 ? [] : taken.splice(old, 1);
    changes.push(from === undefined ? { path: [name], value } : { path: [from], name });
  }
  return [...changes, ...taken.map((name) => ({ path: [name], isTakenOut: true as const }))];
}

/** A conversation in a row: the path of its list, the member names of its turns, and the turns. */
type Conversation = {
  column: string;
  role: string;
  content: string;
  items: readonly Values[];
  messages: readonly Message[];
};

const columns = ['messages', 'conversations', 'conversation'];
const members = [
  ['role', 'content'],
  ['from', 'value'],
] as const;

/** The row's conversation, in the form of chat models (role, content) or of ShareGPT (from, value). */
function findConversation(row: Values): Conversation | undefined {
  const column = columns.find((name) => Object.hasOwn(row, name) && row[name] !== null);
  if (column === undefined) return undefined;
  const given = row[column];
  // A delimited file stores a list as the text of a cell.
  const list: unknown = typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(list))
    throw new ReasonedError(inputProblems.NO_LIST_OF_MESSAGES.reason({ column: JSON.stringify(column) }));
  const items = list as readonly unknown[];
  const [role, content] =
    members.find(([name]) => items.some((item) => isRecord(item) && Object.hasOwn(item, name))) ?? members[0];
  const messages = items.map((item, index): Message => {
    const turn = isRecord(item) ? item : {};
    const [by, said] = [turn[role], turn[content]];
    if (typeof by !== 'string' || typeof said !== 'string') {
      throw new ReasonedError(
        inputProblems.MESSAGE_WITHOUT_TEXTS.reason({
          message: `${column}[${index}]`,
          role: JSON.stringify(role),
          content: JSON.stringify(content),
        }),
      );
    }
    return { role: by, content: said };
  });
  return { column, role, content, items: items as readonly Values[], messages };
}

/**
 * If only texts of turns changed, just these are written; otherwise the whole list, in which unchanged turns keep their
 * other members.
 */
function messageChanges(row: Values, messages: readonly Message[]): ValueChange[] {
  const found = findConversation(row);
  if (found === undefined) return [{ path: ['messages'], value: messages }];
  const { column, role, content, items, messages: before } = found;
  if (typeof row[column] !== 'string' && messages.length === before.length) {
    return messages.flatMap((message, index) => {
      const at = (name: string): ValuePath => [column, index, name];
      return [
        ...(message.role === before[index]?.role ? [] : [{ path: at(role), value: message.role }]),
        ...(message.content === before[index]?.content ? [] : [{ path: at(content), value: message.content }]),
      ];
    });
  }
  const turns = messages.map((message) => {
    const index = before.findIndex((other) => other.role === message.role && other.content === message.content);
    return index === -1 ? { value: { [role]: message.role, [content]: message.content } } : { index };
  });
  if (typeof row[column] !== 'string') return [{ path: [column], items: turns }];
  const list = turns.map((turn) => ('value' in turn ? turn.value : items[turn.index]));
  return [{ path: [column], value: JSON.stringify(list) }];
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw error;
    return undefined;
  }
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
