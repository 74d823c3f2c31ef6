export const quote = 0x22;
const backslash = 0x5c;
export const comma = 0x2c;
const colon = 0x3a;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
const closeBrace = 0x7d;
export const openBrace = 0x7b;

/** Path of a value within a JSON value: member names and list indexes, from the outside in. */
export type ValuePath = readonly (string | number)[];

export type Span = { start: number; end: number };

export function keyOf(path: ValuePath): string {
  return JSON.stringify(path);
}

/** The paths as a tree; `key` is set at the end of a path. */
type PathTree = { key?: string; children: Map<string | number, PathTree> };

export function treeOf(paths: readonly ValuePath[]): PathTree {
  const root: PathTree = { children: new Map() };
  for (const path of paths) {
    let node = root;
    for (const step of path) {
      const next = node.children.get(step) ?? { children: new Map() };
      node.children.set(step, next);
      node = next;
    }
    node.key = keyOf(path);
  }
  return root;
}

type Spans = Map<string, Span>;

/** Records where the values of the tree are; returns the position after the value at `at`. */
export function readValue(bytes: Uint8Array, at: number, node: PathTree, spans: Spans): number {
  const end = node.children.size === 0 ? endOfValue(bytes, at) : readWithin(bytes, at, node, spans);
  if (node.key !== undefined) spans.set(node.key, { start: at, end });
  return end;
}

function readWithin(bytes: Uint8Array, at: number, node: PathTree, spans: Spans): number {
  if (bytes[at] === openBrace) return readObject(bytes, at, node, spans);
  return bytes[at] === openBracket ? readList(bytes, at, node, spans) : endOfValue(bytes, at);
}

function readObject(bytes: Uint8Array, start: number, node: PathTree, spans: Spans): number {
  let at = skipBlanks(bytes, start + 1);
  while (bytes[at] === quote) {
    const nameEnd = endOfString(bytes, at);
    const child = node.children.get(JSON.parse(textOf(bytes, at, nameEnd)) as string);
    const value = skipBlanks(bytes, skipBlanks(bytes, nameEnd) + 1);
    if (child === undefined) at = endOfValue(bytes, value);
    else {
      forget(child, spans);
      at = readValue(bytes, value, child, spans);
    }
    at = skipBlanks(bytes, at);
    if (bytes[at] !== comma) break;
    at = skipBlanks(bytes, at + 1);
  }
  return at + 1;
}

/** Removes the spans recorded for an earlier member of the same name. */
function forget(node: PathTree, spans: Spans): void {
  if (node.key !== undefined) spans.delete(node.key);
  for (const child of node.children.values()) forget(child, spans);
}

function readList(bytes: Uint8Array, start: number, node: PathTree, spans: Spans): number {
  let at = skipBlanks(bytes, start + 1);
  if (bytes[at] === closeBracket) return at + 1;
  for (let index = 0; ; index += 1) {
    const child = node.children.get(index);
    at = skipBlanks(bytes, child === undefined ? endOfValue(bytes, at) : readValue(bytes, at, child, spans));
    if (bytes[at] !== comma) break;
    at = skipBlanks(bytes, at + 1);
  }
  return at + 1;
}

/** Position after the value that starts at `start`. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  if (bytes[start] === quote) return endOfString(bytes, start);
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) break;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === comma || byte === colon || isBlank(byte))) break;
    at += 1;
  }
  return at;
}

/** Position after the string that starts at `start`. Long strings are skipped with a native search for their quote. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let found = bytes.indexOf(quote, start + 1);
  while (found !== -1) {
    let slashes = 0;
    while (bytes[found - 1 - slashes] === backslash && found - 1 - slashes > start) slashes += 1;
    // A quote after an even number of backslashes ends the string.
    if (slashes % 2 === 0) return found + 1;
    found = bytes.indexOf(quote, found + 1);
  }
  return bytes.length;
}

export function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  return at;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}
