import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import type { ValuePath } from './json-spans.ts';

/**
 * One step of a path into a row: a member, an item of a list, all its items, or the items in which a member has a
 * value.
 */
type FieldStep =
  | { readonly name: string }
  | { readonly index: number }
  | { readonly each: true }
  | { readonly key: string; readonly value: string };

/** A path into a row: `text`, `doc.text`, `messages[*].content`, `messages[role=assistant].content`, `["a.b"].text`. */
export type FieldPath = { readonly given: string; readonly steps: readonly FieldStep[] };

/** A text of a row, and its path. */
export type FieldText = { readonly field: string; readonly path: ValuePath; readonly text: string };

const start = /(?<name>[^.[\]"]+)|\[(?<quoted>"(?:[^"\\]|\\.)*")\]/y;
const next =
  /\.(?<name>[^.[\]"]+)|\[(?:(?<quoted>"(?:[^"\\]|\\.)*")|(?<each>\*)|(?<index>\d{1,9})|(?<key>[^[\]"=*]+)=(?:"(?<text>[^"]*)"|(?<value>[^[\]"]*)))\]/y;

/** Parses a path. A text that is not a valid path is a column name: `Text [en]`. */
export function parseFieldPath(given: string): FieldPath {
  const steps: FieldStep[] = [];
  for (let at = 0; at < given.length || at === 0;) {
    const pattern = at === 0 ? start : next;
    pattern.lastIndex = at;
    const found = pattern.exec(given)?.groups;
    const step = found === undefined ? undefined : stepOf(found);
    if (step === undefined) return { given, steps: [{ name: given }] };
    steps.push(step);
    at = pattern.lastIndex;
  }
  return { given, steps };
}

function stepOf(found: Readonly<Record<string, string | undefined>>): FieldStep | undefined {
  const { name, quoted, each, index, key, text, value } = found;
  if (quoted !== undefined) return { name: nameOf(quoted) };
  if (name !== undefined) return { name };
  if (each !== undefined) return { each: true };
  if (index !== undefined) return { index: Number(index) };
  return key === undefined ? undefined : { key, value: text ?? value ?? '' };
}

function nameOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Whether a path is just the name of one column. */
export function isColumnName({ given, steps: [first, ...others] }: FieldPath): boolean {
  return first !== undefined && others.length === 0 && 'name' in first && first.name === given;
}

/** Whether a path may match several values of one row. */
export function leadsToSeveral({ steps }: FieldPath): boolean {
  return steps.some((step) => 'each' in step || 'key' in step);
}

/** Formats a location as a path: `messages[0].content`. */
export function showPath(path: ValuePath): string {
  return path
    .map((step, place) => {
      if (typeof step === 'number') return `[${step}]`;
      if (step === '' || /[.[\]"]/.test(step)) return `[${JSON.stringify(step)}]`;
      return place === 0 ? step : `.${step}`;
    })
    .join('');
}

type Row = Readonly<Record<string, unknown>>;

/**
 * The texts of a row at the given paths, in the order of the paths and of the lists along them; or why there are none.
 * A column whose full name equals the path takes precedence. A null item of a list has no text, nor has a chat
 * message that calls a tool and has no content; any other value that is missing or not a text is a problem. Where a path that may match several values leads to a list of parts, as in
 * multimodal messages, its texts are those of the parts.
 */
export function findTexts(row: Row, paths: readonly FieldPath[]): FieldText[] | { problem: Reason } {
  const texts: FieldText[] = [];
  const seen = new Set<string>();
  for (const path of paths) {
    const found = placesOf(row, path);
    for (const { at, value, isItem } of leadsToSeveral(path) ? found.flatMap(partsIn) : found) {
      const field = showPath(at);
      if (value === null && isItem) continue;
      if (value === undefined || value === nothing)
        return { problem: inputProblems.FIELD_MISSING.reason({ field: JSON.stringify(field) }) };
      if (value === noList) return { problem: inputProblems.FIELD_NO_LIST.reason({ field: JSON.stringify(field) }) };
      if (typeof value !== 'string') return { problem: describeNoText(field, value, showPath(at)) };
      // Two paths may match the same value.
      if (seen.has(field)) continue;
      seen.add(field);
      texts.push({ field, path: at, text: value });
    }
  }
  return texts;
}

const textParts = /^(?:(?:input|output)_)?text$/;
/** Message parts without text, named as in common APIs: `image_url`, `input_audio`, `file`. */
const mediaParts = /^(?:input_)?(?:image|audio|video|file|document)(?:_|$)/;

/** Whether a value is message content in typed parts: `[{"type":"text","text":"…"}, {"type":"image_url", …}]`. */
export function isListOfParts(value: unknown): value is readonly Row[] {
  if (!Array.isArray(value)) return false;
  const types = value.map((part) => memberOf(part, 'type'));
  if (!types.every((type) => typeof type === 'string')) return false;
  return types.length === 0 || types.some((type) => textParts.test(type) || mediaParts.test(type));
}

/** Replaces a list of parts with the places of its texts; keeps any other place. */
function partsIn(place: Place): Place[] {
  const { at, value } = place;
  if (!isListOfParts(value)) return [place];
  return value.flatMap((part, index) =>
    textParts.test(String(part['type']))
      ? [{ at: [...at, index, 'text'], value: memberOf(part, 'text'), isItem: true }]
      : [],
  );
}

/** Why an existing value is not a text; `path` is the path to it. */
export function describeNoText(field: string, value: unknown, path: string): Reason {
  const name = JSON.stringify(field);
  return isListOfParts(value) && value.length > 0
    ? inputProblems.FIELD_OF_PARTS.reason({ field: name, path: `${path}[type=text].text` })
    : inputProblems.FIELD_NO_TEXT.reason({ field: name });
}

/** All values of a row that match a path. */
export function findValues(row: Row, path: FieldPath): unknown[] {
  return placesOf(row, path).flatMap(({ value }) => (value === undefined || typeof value === 'symbol' ? [] : [value]));
}

/** What a chat message may have instead of `content`. */
const insteadOfContent = ['tool_calls', 'function_call', 'refusal', 'audio'];

/** Whether an item is a chat message that may have no content. */
function isCall(item: unknown): boolean {
  return insteadOfContent.some((name) => (memberOf(item, name) ?? null) !== null);
}

const noList = Symbol('no list');
const nothing = Symbol('nothing');

type Place = { at: (string | number)[]; value: unknown; isItem: boolean };

function placesOf(row: Row, { given, steps }: FieldPath): Place[] {
  if (Object.hasOwn(row, given)) return [{ at: [given], value: row[given], isItem: false }];
  return steps.reduce<Place[]>(
    (places, step) => places.flatMap((place) => placesIn(place, step)),
    [{ at: [], value: row, isItem: false }],
  );
}

function placesIn({ at, value, isItem }: Place, step: FieldStep): Place[] {
  if (value === noList || value === nothing) return [{ at, value, isItem }];
  if ('name' in step) {
    const member = memberOf(value, step.name);
    return [{ at: [...at, step.name], value: member === undefined && isItem && isCall(value) ? null : member, isItem }];
  }
  if (value === undefined) return [{ at, value: nothing, isItem }];
  if (value === null && isItem) return [{ at, value, isItem }];
  if (!Array.isArray(value)) return [{ at, value: noList, isItem }];
  const items = value as readonly unknown[];
  if ('index' in step) return [{ at: [...at, step.index], value: items[step.index], isItem }];
  return items.flatMap((item, index) => {
    const isWanted = 'each' in step || memberOf(item, step.key) === step.value;
    return isWanted ? [{ at: [...at, index], value: item, isItem: true }] : [];
  });
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return (value as Row)[name];
}
