import { isUtf8 } from 'node:buffer';
import { rmSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { mayLoseDigits, parseExactly } from '../../kernel/exact-json.ts';
import { partsOf, parseRow, reviveNumbers } from '../jsonl.ts';
import type { ReadAt } from '../lines.ts';
import type { ValueKind } from '../row-schema.ts';
import { openBuildShare, type BuildShare } from './build-share.ts';
import { createKindTree } from './kind-tree.ts';
import { storedTypeOf, viewColumnOf } from './index-columns.ts';
import { isLongFraction, largestIn, withBigInts } from './number-kinds.ts';
import { openPlainCopy, type PlainCopy, type PlainTable } from './plain-copy.ts';
import { collectPlaces, embedPlaces, type RowPlaces } from './row-places.ts';
import { createRowScanner } from './row-scanner.ts';
import { blocksOf } from './row-walk.ts';
import type { ViewColumn, ViewFacts } from './view-protocol.ts';
import { layoutOf, withSource, type TextSource } from './view-reading.ts';

/** Tables with more columns than this are built the general way. */
const maxColumns = 1_000;
/** Bytes read before the first guess of the types. */
const firstGuessBytes = 8 << 20;

/**
 * Builds the index of a plain file of UTF-8 JSON Lines without unreadable lines. Our reader finds row positions and
 * types; meanwhile the library copies the values from the same file, using the types of the first rows, and starts over
 * if a later row needs other types. Returns undefined for every other table, and where the library would read a value
 * differently.
 */
export async function buildPlainIndex(
  connection: DuckDBConnection,
  source: TextSource,
  indexPath: string,
  guessBytes = firstGuessBytes,
): Promise<ViewFacts | undefined> {
  if (source.format !== 'jsonl' || source.offset !== 0 || statSync(source.path).size !== source.sizeBytes)
    return undefined;
  const placesPath = `${indexPath}.places`;
  const share = openBuildShare(indexPath);
  const copy = openPlainCopy(connection, source, indexPath);
  const places = collectPlaces(placesPath);
  try {
    const facts = await withSource(source, (read) => readPlain(read, source, { copy, places, share, guessBytes }));
    places.close();
    if (facts === undefined || (await copy.finish(share)) !== facts.rows) return undefined;
    embedPlaces(placesPath, indexPath);
    return facts;
  } finally {
    await copy.stop();
    places.close();
    share.end();
    rmSync(placesPath, { force: true });
  }
}

/** Reads all rows while the library copies their values. */
async function readPlain(
  read: ReadAt,
  source: TextSource,
  { copy, places, share, guessBytes }: { copy: PlainCopy; places: RowPlaces; share: BuildShare; guessBytes: number },
): Promise<ViewFacts | undefined> {
  const layout = layoutOf(read, source);
  if (layout.isArray === true || layout.encoding !== 'utf-8' || layout.markBytes > 0) return undefined;
  const rows = createPlainRows(places);
  let guessFrom = guessBytes;
  for (const block of blocksOf(read, source.sizeBytes, layout)) {
    if (block.tooLong !== undefined || !rows.add(block.bytes, block.start) || rows.isMixed()) return undefined;
    share.reach(copy.share());
    // Lets the copy report its end between blocks.
    await setImmediate();
    if (copy.isStarted() && !copy.fits(rows.table())) await copy.stop();
    if (block.end < guessFrom || copy.isStarted()) continue;
    if (rows.isReadableByLibrary()) copy.start(rows.table());
    // Doubles the distance, so that discarded copies cost less than the final one.
    guessFrom = 2 * block.end;
  }
  if (!rows.isReadableByLibrary()) return undefined;
  const table = rows.table();
  if (!copy.fits(table)) {
    await copy.stop();
    copy.start(table);
  }
  return { columns: table.columns, rows: table.rows, unreadable: 0, omittedColumns: 0, layout, hasPlaces: true };
}

/** The rows of a plain table so far. */
type PlainRows = {
  /** Adds whole lines; false if the table is not a plain one. */
  add(bytes: Uint8Array, position: number): boolean;
  /** Whether a column mixes several kinds of values, which only the general way can write. */
  isMixed(): boolean;
  /** Whether the library can read everything read so far with the types of its columns. */
  isReadableByLibrary(): boolean;
  table(): PlainTable;
};

function createPlainRows(places: RowPlaces): PlainRows {
  const tree = createKindTree();
  const scan = createRowScanner(tree);
  const unsafe = new Set<string>();
  let [bytesRead, rows, line, longest] = [0, 0, 1, 0];
  let known = { changes: -1, columns: [] as ViewColumn[], isMixed: false };

  /** Parses a row whose kinds the byte scan left open; false if the library would read it differently. */
  function read(bytes: Uint8Array): boolean {
    const parsed = parseRow(bytes);
    if (!parsed.ok) return false;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // A double loses digits of such fractions; only the general way keeps them.
    if (hasLongFraction(text.toString())) return false;
    let most = 0;
    for (const [name, value] of Object.entries(parsed.row)) {
      const largest = largestIn(value);
      if (largest > Number.MAX_SAFE_INTEGER) unsafe.add(name);
      most = Math.max(most, largest);
    }
    // Too large for a DOUBLE: the library writes infinity, the general way keeps the digits.
    if (most === Infinity) return false;
    tree.addValues(
      most < 2 ** 63 ? parsed.row : (withBigInts(parseExactly(text.toString())) as Readonly<Record<string, unknown>>),
    );
    return true;
  }

  function schemaSoFar(): typeof known {
    const changes = tree.changes();
    if (changes === known.changes) return known;
    const schema = tree.schema();
    const isMixed = schema.length > maxColumns || schema.some(([, kind]) => isMixedKind(kind));
    known = { changes, isMixed, columns: schema.map(([name, kind]) => viewColumnOf(name, kind)) };
    return known;
  }

  return {
    add(block, position) {
      const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
      if (!isUtf8(bytes)) return false;
      for (const { kind, start, end, next } of partsOf(bytes, position === 0)) {
        if (kind === 'row') {
          const scanned = scan(bytes, start, end);
          if (scanned === 'other' || (scanned === 'unsure' && !read(bytes.subarray(start, end)))) return false;
          places.add(position + start, line);
          rows += 1;
          longest = Math.max(longest, end - start);
        }
        if (next > end) line += 1;
      }
      bytesRead = position + bytes.length;
      return true;
    },
    isMixed: () => schemaSoFar().isMixed,
    isReadableByLibrary() {
      const { columns: found } = schemaSoFar();
      const names = new Set(found.map(({ name }) => name.toLowerCase()));
      // If a column also has fractions, only the digits of each row decide whether it is numeric.
      const isUnsure = found.some(({ name, type }) => unsafe.has(name) && type.includes('DOUBLE'));
      // The library ignores case in names.
      const isNamed = names.size === found.length && !names.has('') && !found.some(({ name }) => name.includes('\0'));
      const isJson = found.some((column) => /\bJSON\b/.test(storedTypeOf(column)));
      return rows > 0 && found.length > 0 && isNamed && !isUnsure && !isJson;
    },
    table: () => ({ columns: schemaSoFar().columns, bytes: bytesRead, rows, longest }),
  };
}

function hasLongFraction(text: string): boolean {
  if (!mayLoseDigits(text)) return false;
  let isLong = false;
  reviveNumbers(text, (number, source) => {
    isLong ||= isLongFraction(source);
    return number;
  });
  return isLong;
}

/** Whether a position holds several kinds of values, which later rows can't undo. */
function isMixedKind(kind: ValueKind): boolean {
  switch (kind.kind) {
    case 'scalars':
    case 'mixed':
      return true;
    case 'list':
      return isMixedKind(kind.item);
    case 'object':
      return kind.fields.some(([, field]) => isMixedKind(field));
    default:
      return false;
  }
}
