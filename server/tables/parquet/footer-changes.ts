import type { StoredForm } from './exact-values.ts';
import {
  chunkFields,
  chunkMetadata,
  dropIndexes,
  elementFields,
  fileFields,
  groupFields,
  readFooterFile,
  replaceFooter,
} from './footer-file.ts';
import { integerOf, setInteger, setText, structOf, structsOf, textIn, wireTypes, type ThriftStruct } from './thrift.ts';

const physical = { int96: 3, fixedBytes: 7 } as const;
const int96Bytes = 12;
const repeated = 2;

/** Leaves only the row groups with the rows `[from, to)`; returns the number of rows before them. */
export function keepGroups(footer: ThriftStruct, { from, to }: { from: number; to: number }): number {
  let [row, skipped, kept] = [0, 0, 0];
  const groups: ThriftStruct[] = [];
  for (const group of structsOf(footer, fileFields.groups)) {
    const rows = integerOf(group, groupFields.rows) ?? 0;
    if (row + rows > from && row < to) {
      if (groups.length === 0) skipped = row;
      groups.push(group);
      kept += rows;
    }
    row += rows;
  }
  const items = groups.map((struct) => ({ type: wireTypes.struct, struct }));
  footer.set(fileFields.groups, { type: wireTypes.list, itemType: wireTypes.struct, items });
  setInteger(footer, fileFields.rows, kept, wireTypes.i64);
  return skipped;
}

/** Calls the columns `c0`, `c1` …, and takes the types of these leaf columns away, so that they are read as stored. */
export function showStored(footer: ThriftStruct, forms: ReadonlyMap<number, StoredForm>): void {
  const elements = structsOf(footer, fileFields.schema);
  for (const [place, start] of startsOf(elements).entries()) rename(elements[start], `c${place}`);
  for (const [leaf, element] of leavesOf(elements).entries()) {
    const form = forms.get(leaf);
    if (form === undefined) continue;
    for (const field of [elementFields.converted, elementFields.scale, elementFields.precision, elementFields.logical])
      element.delete(field);
    if (form.kind !== 'INT96') continue;
    setInteger(element, elementFields.type, physical.fixedBytes);
    setInteger(element, elementFields.length, int96Bytes);
  }
  for (const chunks of chunksByGroup(footer))
    for (const [leaf, chunk] of chunks.entries()) {
      const form = forms.get(leaf);
      if (form === undefined) continue;
      dropStatistics(chunk);
      const metadata = structOf(chunk, chunkFields.metadata);
      if (form.kind === 'INT96' && metadata !== undefined)
        setInteger(metadata, chunkMetadata.type, physical.fixedBytes);
    }
}

/**
 * Gives the columns of a file that was written from stored forms the names and types of its source, and names to the
 * columns that it has in addition.
 */
export function restoreColumns(
  path: string,
  sourcePath: string,
  { forms, added }: { forms: ReadonlyMap<number, StoredForm>; added: readonly string[] },
): void {
  const written = readFooterFile(path);
  const elements = structsOf(written.footer, fileFields.schema);
  const source = structsOf(readFooterFile(sourcePath).footer, fileFields.schema);
  const extra = [...added];
  const starts = startsOf(source);
  for (const [place, start] of startsOf(elements).entries()) {
    const from = starts[place];
    if (from === undefined) rename(elements[start], extra.shift());
    else restoreNames({ elements: source, at: from }, { elements, at: start });
  }
  const sourceLeaves = leavesOf(source);
  for (const [leaf, element] of leavesOf(elements).entries()) {
    if (!forms.has(leaf)) continue;
    const { converted, scale, precision, logical } = elementFields;
    for (const field of [converted, scale, precision, logical]) {
      const given = sourceLeaves[leaf]?.get(field);
      if (given === undefined) element.delete(field);
      else element.set(field, given);
    }
  }
  const paths = pathsOf(elements);
  for (const chunks of chunksByGroup(written.footer))
    for (const [leaf, chunk] of chunks.entries()) {
      const items = (paths[leaf] ?? []).map((bytes) => ({ type: wireTypes.binary, bytes }));
      const path = { type: wireTypes.list, itemType: wireTypes.binary, items };
      structOf(chunk, chunkFields.metadata)?.set(chunkMetadata.path, path);
      // Decimals have another order than the bytes that they were written as.
      if (forms.get(leaf)?.kind === 'DECIMAL') dropStatistics(chunk);
    }
  replaceFooter(path, written);
}

function dropStatistics(chunk: ThriftStruct): void {
  dropIndexes(chunk);
  structOf(chunk, chunkFields.metadata)?.delete(chunkMetadata.statistics);
}

function chunksByGroup(footer: ThriftStruct): ThriftStruct[][] {
  return structsOf(footer, fileFields.groups).map((group) => structsOf(group, groupFields.chunks));
}

function childrenOf(element: ThriftStruct): number {
  return integerOf(element, elementFields.children) ?? 0;
}

function leavesOf(elements: readonly ThriftStruct[]): ThriftStruct[] {
  return elements.slice(1).filter((element) => childrenOf(element) === 0);
}

/** Where the columns begin: the children of the root. */
function startsOf(elements: readonly ThriftStruct[]): number[] {
  const found: number[] = [];
  for (let at = 1; at < elements.length; at = endOf(elements, at)) found.push(at);
  return found;
}

type Place = { elements: readonly ThriftStruct[]; at: number };

function rename(element: ThriftStruct | undefined, name: string | undefined): void {
  if (element !== undefined && name !== undefined) setText(element, elementFields.name, name);
}

/** Gives a column and the members of the structs within it the names that they have in the source. */
function restoreNames(source: Place, written: Place): void {
  const [from, to] = [source.elements[source.at], written.elements[written.at]];
  if (from === undefined || to === undefined) return;
  rename(to, textIn(from, elementFields.name));
  restoreMembers(source, written);
}

function restoreMembers(source: Place, written: Place): void {
  const [from, to] = [source.elements[source.at], written.elements[written.at]];
  if (from === undefined || to === undefined || childrenOf(from) !== childrenOf(to)) return;
  // The parts of lists and maps have names of the writer.
  const isStruct = [from, to].every(
    (element) =>
      !element.has(elementFields.logical) &&
      !element.has(elementFields.converted) &&
      integerOf(element, elementFields.repetition) !== repeated,
  );
  let [at, writtenAt] = [source.at + 1, written.at + 1];
  for (let left = childrenOf(from); left > 0; left -= 1) {
    const places: [Place, Place] = [
      { ...source, at },
      { ...written, at: writtenAt },
    ];
    if (isStruct) restoreNames(...places);
    else restoreMembers(...places);
    [at, writtenAt] = [endOf(source.elements, at), endOf(written.elements, writtenAt)];
  }
}

/** The names on the way to each leaf. */
function pathsOf(elements: readonly ThriftStruct[]): Buffer[][] {
  const found: Buffer[][] = [];
  const read = (at: number, before: readonly Buffer[]): number => {
    const element = elements[at];
    if (element === undefined) return at + 1;
    const path = [...before, Buffer.from(textIn(element, elementFields.name))];
    if (childrenOf(element) === 0) found.push(path);
    let next = at + 1;
    for (let left = childrenOf(element); left > 0; left -= 1) next = read(next, path);
    return next;
  };
  for (const start of startsOf(elements)) read(start, []);
  return found;
}

function endOf(elements: readonly ThriftStruct[], at: number): number {
  const element = elements[at];
  let next = at + 1;
  if (element !== undefined) for (let left = childrenOf(element); left > 0; left -= 1) next = endOf(elements, next);
  return next;
}
