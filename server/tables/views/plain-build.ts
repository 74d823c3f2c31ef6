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

/** Rows with more names than these are told by the other way. */
const maxColumns = 1_000;
/** So much of a file is read before its types are guessed. */
const firstGuessBytes = 8 << 20;

/**
 * The index of a file of its own with JSON Lines in UTF-8 of which every line is read: our reader tells places and types, and the library reads
 * the values from the file itself, at the same time, by the types of the first rows; it begins anew if a later row has others. Undefined for every other
 * table, and where the library reads something else than we do.
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

/** Reads all rows, while the library copies their values. */
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
    // Whether the library has come to its end is told in between.
    await setImmediate();
    if (copy.isStarted() && !copy.fits(rows.table())) await copy.stop();
    if (block.end < guessFrom || copy.isStarted()) continue;
    if (rows.isTold()) copy.start(rows.table());
    // Twice as far each time: what is copied in vain is less than what is copied.
    guessFrom = 2 * block.end;
  }
  if (!rows.isTold()) return undefined;
  const table = rows.table();
  if (!copy.fits(table)) {
    await copy.stop();
    copy.start(table);
  }
  return { columns: table.columns, rows: table.rows, unreadable: 0, omittedColumns: 0, layout, hasPlaces: true };
}

/** The rows of a plain table so far. */
type PlainRows = {
  /** Adds whole lines; false if the table is no plain one. */
  add(bytes: Uint8Array, position: number): boolean;
  /** Whether a column has values of several kinds, which are written in our way. */
  isMixed(): boolean;
  /** Whether the library can read all of it by the types of its columns. */
  isTold(): boolean;
  table(): PlainTable;
};

function createPlainRows(places: RowPlaces): PlainRows {
  const tree = createKindTree();
  const scan = createRowScanner(tree);
  const unsafe = new Set<string>();
  let [bytesRead, rows, line, longest] = [0, 0, 1, 0];
  let told = { changes: -1, columns: [] as ViewColumn[], isMixed: false };

  /** Reads a row whose kinds its bytes do not tell; false if the library reads it otherwise. */
  function read(bytes: Uint8Array): boolean {
    const parsed = parseRow(bytes);
    if (!parsed.ok) return false;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Fractions whose digits a double does not hold: we write these, too.
    if (hasLongFraction(text.toString())) return false;
    let most = 0;
    for (const [name, value] of Object.entries(parsed.row)) {
      const largest = largestIn(value);
      if (largest > Number.MAX_SAFE_INTEGER) unsafe.add(name);
      most = Math.max(most, largest);
    }
    // Numbers that are too large for a DOUBLE: we write their digits, the library infinity.
    if (most === Infinity) return false;
    tree.addValues(
      most < 2 ** 63 ? parsed.row : (withBigInts(parseExactly(text.toString())) as Readonly<Record<string, unknown>>),
    );
    return true;
  }

  function tell(): typeof told {
    const changes = tree.changes();
    if (changes === told.changes) return told;
    const schema = tree.schema();
    const isMixed = schema.length > maxColumns || schema.some(([, kind]) => isMixedKind(kind));
    told = { changes, isMixed, columns: schema.map(([name, kind]) => viewColumnOf(name, kind)) };
    return told;
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
    isMixed: () => tell().isMixed,
    isTold() {
      const { columns: found } = tell();
      const names = new Set(found.map(({ name }) => name.toLowerCase()));
      // Beside fractions, the digits of each row say whether a column is one of numbers.
      const isUnsure = found.some(({ name, type }) => unsafe.has(name) && type.includes('DOUBLE'));
      // The library tells names without regard to case.
      const isNamed = names.size === found.length && !names.has('') && !found.some(({ name }) => name.includes('\0'));
      const isJson = found.some((column) => /\bJSON\b/.test(storedTypeOf(column)));
      return rows > 0 && found.length > 0 && isNamed && !isUnsure && !isJson;
    },
    table: () => ({ columns: tell().columns, bytes: bytesRead, rows, longest }),
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

/** Values of several kinds at a place, which no later one changes. */
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
