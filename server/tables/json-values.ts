import { isAscii } from 'node:buffer';
import {
  quote,
  comma,
  openBracket,
  closeBracket,
  openBrace,
  type ValuePath,
  type Span,
  keyOf,
  treeOf,
  readValue,
  endOfValue,
  endOfString,
  skipBlanks,
  isBlank,
  textOf,
} from './json-spans.ts';

/**
 * A change to a value: replace it, replace it by a list that keeps the bytes of some old items, remove the member, or
 * rename it. To remove or rename, the path must name a member of the row itself.
 */
export type ValueChange =
  | { readonly path: ValuePath; readonly value: unknown }
  | { readonly path: ValuePath; readonly name: string }
  | { readonly path: ValuePath; readonly isTakenOut: true }
  | { readonly path: ValuePath; readonly items: readonly ListItem[] };

type ListItem = { readonly index: number } | { readonly value: unknown };

/**
 * Replaces the values at the given paths of a row, a JSON object in UTF-8; every other byte stays as it is. Of
 * duplicate members the last one counts, as in JSON.parse. A path of a single name that the object lacks is appended as
 * a member. A value written in ASCII with `\u` escapes stays in ASCII. Throws if a path matches nothing or two paths
 * match the same bytes.
 */
export function replaceValues(bytes: Uint8Array, changes: readonly ValueChange[]): Uint8Array {
  const members = changes.filter((change) => isOfMember(change));
  if (members.length === 0) return replaceAll(bytes, changes as readonly Replacement[]);
  const values = changes.filter((change): change is Replacement => !isOfMember(change));
  return changeMembers(values.length === 0 ? bytes : replaceAll(bytes, values), members);
}

type Replacement = Extract<ValueChange, { value: unknown } | { items: unknown }>;
type MemberChange = Exclude<ValueChange, Replacement>;

function isOfMember(change: ValueChange): change is MemberChange {
  return 'name' in change || 'isTakenOut' in change;
}

type Member = { name: string; start: number; nameEnd: number; end: number };

/** Removes or renames members of an object; the bytes between the remaining members are kept. */
function changeMembers(bytes: Uint8Array, changes: readonly MemberChange[]): Uint8Array {
  const byName = new Map(changes.map((change) => [String(change.path[0]), change]));
  const members = membersOf(bytes);
  const lastOf = new Map(members.map((member) => [member.name, member]));
  // Of members with the same name only the last one counts; the others are dropped, so that none of them takes its
  // place.
  const kept = members.filter((member) => {
    const change = byName.get(member.name);
    return change === undefined || ('name' in change && lastOf.get(member.name) === member);
  });
  const [first, last] = [members[0], members.at(-1)];
  if (first === undefined || last === undefined) return bytes;
  const parts: Uint8Array[] = [bytes.subarray(0, first.start)];
  for (const [index, member] of kept.entries()) {
    // The comma before a member stays with it, including white space.
    const before = members[members.indexOf(member) - 1];
    if (index > 0 && before !== undefined) parts.push(bytes.subarray(before.end, member.start));
    const change = byName.get(member.name);
    if (change === undefined || !('name' in change)) parts.push(bytes.subarray(member.start, member.end));
    else {
      const old = bytes.subarray(member.start, member.nameEnd);
      parts.push(writtenLike(old, change.name), bytes.subarray(member.nameEnd, member.end));
    }
  }
  return Buffer.concat([...parts, bytes.subarray(last.end)]);
}

/** The members of a row's object. */
function membersOf(bytes: Uint8Array): Member[] {
  const members: Member[] = [];
  let start = skipBlanks(bytes, skipBlanks(bytes, 0) + 1);
  while (bytes[start] === quote) {
    const nameEnd = endOfString(bytes, start);
    const end = endOfValue(bytes, skipBlanks(bytes, skipBlanks(bytes, nameEnd) + 1));
    members.push({ name: JSON.parse(textOf(bytes, start, nameEnd)) as string, start, nameEnd, end });
    const next = skipBlanks(bytes, end);
    if (bytes[next] !== comma) break;
    start = skipBlanks(bytes, next + 1);
  }
  return members;
}

function replaceAll(bytes: Uint8Array, changes: readonly Replacement[]): Uint8Array {
  const spans = new Map<string, Span>();
  const kept = changes.flatMap((change) => ('items' in change ? keptItems(change) : []));
  const end = readValue(bytes, skipBlanks(bytes, 0), treeOf([...changes.map(({ path }) => path), ...kept]), spans);
  const bytesAt = (path: ValuePath): Uint8Array => {
    const span = spans.get(keyOf(path));
    if (span === undefined) throw new Error(`The row has nothing at ${JSON.stringify(path)}`);
    return bytes.subarray(span.start, span.end);
  };
  const edits = changes.map((change): Edit => {
    const { path } = change;
    const span = spans.get(keyOf(path));
    const old = span === undefined ? new Uint8Array() : bytes.subarray(span.start, span.end);
    const written = 'items' in change ? writtenList(change, old, bytesAt) : writtenLike(old, change.value);
    if (span !== undefined) return { ...span, written };
    const [name, ...rest] = path;
    if (typeof name !== 'string' || rest.length > 0) throw new Error(`The row has nothing at ${JSON.stringify(path)}`);
    return { ...newMember(bytes, end), written: Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), written]) };
  });
  return withEdits(bytes, edits);
}

type ListChange = Extract<ValueChange, { items: unknown }>;

function keptItems({ path, items }: ListChange): ValuePath[] {
  return items.flatMap((item) => ('index' in item ? [[...path, item.index]] : []));
}

function writtenList(
  { path, items }: ListChange,
  old: Uint8Array,
  bytesAt: (path: ValuePath) => Uint8Array,
): Uint8Array {
  const parts = items.flatMap((item, place) => [
    ...(place === 0 ? [] : [Uint8Array.of(comma)]),
    'index' in item ? bytesAt([...path, item.index]) : writtenLike(old, item.value),
  ]);
  return Buffer.concat([Uint8Array.of(openBracket), ...parts, Uint8Array.of(closeBracket)]);
}

/** Two paths, one of which leads into the value of the other, so that both can't be written. */
export function findOverlap(paths: readonly ValuePath[]): [ValuePath, ValuePath] | undefined {
  const sorted = [...paths].sort((one, other) => one.length - other.length);
  const seen = new Map<string, ValuePath>();
  for (const path of sorted) {
    for (let length = 1; length <= path.length; length += 1) {
      const outer = seen.get(keyOf(path.slice(0, length)));
      if (outer !== undefined) return [outer, path];
    }
    seen.set(keyOf(path), path);
  }
  return undefined;
}
type Edit = Span & { written: Uint8Array; isMember?: boolean; isFirst?: boolean };

/** Where a new member is inserted: before the closing brace of the object, which ends at `end`. */
function newMember(bytes: Uint8Array, end: number): Pick<Edit, 'start' | 'end' | 'isMember' | 'isFirst'> {
  let at = end - 1;
  while (at > 0 && isBlank(bytes[at - 1])) at -= 1;
  return { start: at, end: at, isMember: true, isFirst: bytes[at - 1] === openBrace };
}

function withEdits(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  let isFirst = true;
  // Sorting is stable: new members at the same position keep their order.
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    if (edit.start < at) throw new Error('Two paths lead to the same bytes');
    parts.push(bytes.subarray(at, edit.start));
    if (edit.isMember === true) {
      if (edit.isFirst !== true || !isFirst) parts.push(Uint8Array.of(comma));
      isFirst = false;
    }
    parts.push(edit.written);
    at = edit.end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

/** A value as JSON, in ASCII if the old one was escaped that way. */
function writtenLike(old: Uint8Array, value: unknown): Uint8Array {
  return Buffer.from(isAsciiEscaped(old) ? asciiJson(value) : JSON.stringify(value));
}

/** Whether a value was written in ASCII with `\u` escapes. */
export function isAsciiEscaped(bytes: Uint8Array): boolean {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('\\u')) return false;
  return isAscii(bytes) && /\\u(?!00[01])[0-9a-f]{4}/i.test(textOf(bytes, 0, bytes.length));
}

export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
