import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { sized } from '../../../tests/support/long-tests.ts';
import { buildSearchIndex, candidatesOf, isSearchIndex } from './search-index.ts';
import { createGramSet, gramsOf } from './search-grams.ts';
import { buildIndex } from './view-build.ts';
import type { IndexedTable, RowChoice } from './view-protocol.ts';
import { listRows, readRowsOf } from './view-query.ts';

const words = [
  'Copyright',
  'holder',
  '数据清洗',
  '检索',
  '，。',
  'ΟΔΟΣ',
  'İstanbul',
  'ẞtraße',
  '😀',
  "O'Neil",
  '100%_',
  'a\tb\nc',
  '\\"',
  'ÀÉ',
  'e\u0301',
  'ﬁ',
];

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** JSON Lines rows of about 6 kB, with missing values, changing types and broken lines among them. */
function messyLines(count: number): string[] {
  const random = randomOf(5);
  const letters = 'abcdefgh ijklmnop qrstuvwxyz ABC 0123456789-数据集文本模型';
  const beginnings: string[] = [];
  return Array.from({ length: count }, (_, row) => {
    if (row % 97 === 13) return `broken ${row}`;
    let text = '';
    while (text.length < 6_000)
      text +=
        random() < 0.003
          ? `${words[Math.floor(random() * words.length)]} `
          : letters[Math.floor(random() * letters.length)];
    if (row === 400) text += ` Only-Here-XYZZY ${text.slice(0, 9)}`;
    beginnings[row] = text.slice(0, 60);
    // Some rows begin like an earlier one.
    if (row % 10 === 9) text = `${beginnings[row - 6] ?? ''} ${text}`;
    return JSON.stringify({
      id: row * 7_654_321,
      title: beginnings[row],
      text: row % 50 === 7 ? null : text,
      nested: { score: row / 8, tags: [`tag${row}`, 'TÜR'] },
      mixed: row % 3 === 0 ? row * 1_000_003 : `m${row}`,
    });
  });
}

const all: RowChoice = { where: [], search: '', sort: null, isUnreadable: false };

type Opened = { connection: DuckDBConnection; table: IndexedTable };
const opened = new Map<number, Promise<Opened>>();
const ends: (() => void)[] = [];
let paths = 0;
after(() => {
  for (const end of ends) end();
});

/** A table shared by all tests of the same row count, and a path for the test's own output. */
async function openTable(rows = sized(450, 600)): Promise<Opened & { path: string }> {
  const opening = opened.get(rows) ?? createTable(rows);
  opened.set(rows, opening);
  const { connection, table } = await opening;
  return { connection, table, path: join(dirname(table.indexPath), `${(paths += 1)}.grams`) };
}

async function createTable(rows: number): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), 'tilth-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  ends.push(() => {
    connection.closeSync();
    instance.closeSync();
    rmSync(directory, { recursive: true });
  });
  const path = join(directory, 'a.jsonl');
  writeFileSync(path, messyLines(rows).join('\n'));
  const source = { path, offset: 0, sizeBytes: statSync(path).size, format: 'jsonl' } as const;
  const indexPath = join(directory, 'a.index');
  const facts = await buildIndex(connection, source, indexPath);
  return { connection, table: { source, indexPath, searchPath: null, facts } };
}

test('a search by the index finds the rows that reading the whole table finds', async () => {
  const { connection, table, path } = await openTable();
  assert.ok((await buildSearchIndex(connection, table, path)).blocks > 3);
  assert.ok(statSync(path).size < table.source.sizeBytes / 3);
  const random = randomOf(9);
  const lines = readFileSync(table.source.path, 'utf8').split('\n');
  const cuts = Array.from({ length: sized(3, 20) }, () => {
    const line = lines[Math.floor(random() * lines.length)] ?? '';
    const start = Math.floor(random() * line.length);
    return line
      .slice(start, start + 1 + Math.floor(random() * 12))
      .toWellFormed()
      .replaceAll(/["\\]/g, '');
  });
  const cases = [
    ...words,
    ...words.slice(0, sized(3, 8)).map((word) => word.toUpperCase()),
    ...cuts.filter((cut) => cut !== ''),
    'only-here-xyzzy',
    'xyzzy',
    'copyright holder',
    'nowhere at all',
    '据',
    'x',
    'tür',
    'tag400',
    '1000003',
    '50.125',
    '[tag7, TÜR]',
    'TAG7, tür',
  ];
  for (const search of cases) {
    const choice = { ...all, search, offset: 0, limit: 40, maxCellCharacters: 32, countMs: 60_000, listed: null };
    const scanned = await readRowsOf(connection, { kind: 'rows', table, ...choice });
    const indexed = { ...table, searchPath: path };
    const found = await readRowsOf(connection, { kind: 'rows', table: indexed, ...choice });
    assert.deepEqual(found, scanned, JSON.stringify(search));
  }
});

test('columns that are searched one by one give the rows, orders, pages and counts of the whole table', async () => {
  const tableRows = sized(1_200, 2_400);
  const { connection, table, path } = await openTable(tableRows);
  const { blocks } = await buildSearchIndex(connection, table, path);
  const indexed = { ...table, searchPath: path };
  const lines = readFileSync(table.source.path, 'utf8').split('\n');
  const titles = lines.flatMap((line, row) =>
    line.startsWith('{') ? [{ row, title: (JSON.parse(line) as { title: string }).title }] : [],
  );
  const withoutText = titles.filter((one) => one.row % 50 === 7);
  const repeated = titles.filter((one) => one.row % 10 === 3);
  const random = randomOf(21);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const filters: RowChoice['where'] = [
    { field: 'id', op: 'GE', value: tableRows * 0.4 * 7_654_321 },
    { field: 'nested.score', op: 'LT', value: tableRows / 15 },
    { field: 'text', op: 'EXISTS', value: true },
    { field: 'mixed', op: 'CONTAINS', value: 'm' },
  ];
  const sorts = [null, ...['id', 'text', 'mixed'].map((name) => ({ name, isDescending: random() < 0.5 }))];
  const rounds = sized(10, 50);
  let apart = 0;
  let severalFound = 0;
  for (let round = 0; round < rounds; round++) {
    // Prefers rows with a title and no text, and rows whose beginning is repeated. Search texts that few rows contain:
    // in one column, in two columns of a row, in different columns of different rows.
    const { row, title } = pick(pick([titles, withoutText, repeated]));
    const search = pick([
      title.slice(5, 25),
      title.slice(5, 25).toUpperCase(),
      `[tag${row}, TÜR]`,
      String(row * 7_654_321),
      String(row * 1_000_003),
      'only-here-xyzzy',
    ]);
    const share = (await candidatesOf(connection, path, search))?.share ?? 1;
    const choice = {
      where: filters.filter(() => random() < 0.2),
      search,
      sort: pick(sorts),
      isUnreadable: random() < 0.1,
      offset: pick([0, 0, 0, 1, 3]),
      limit: pick([0, 1, 2, 40]),
      maxCellCharacters: 32,
      countMs: 60_000,
      listed: null,
    };
    const scanned = await readRowsOf(connection, { kind: 'rows', table, ...choice });
    const found = await readRowsOf(connection, { kind: 'rows', table: indexed, ...choice });
    assert.deepEqual(found, scanned, JSON.stringify({ choice, blocks }));
    if (share > 0 && share <= 1 / 8) {
      apart += 1;
      if (Number(found.total) > 1) severalFound += 1;
    }
    const listPath = `${path}.list`;
    assert.equal(await listRows(connection, { kind: 'list', table: indexed, listPath, ...choice }), scanned.total);
  }
  const told = `${apart} of ${rounds} in few of ${blocks} blocks, ${severalFound} with several`;
  assert.ok(apart > rounds * 0.4 && severalFound > rounds / 20, told);
});

test('a list of chosen rows has the pages that reading the table has', async () => {
  const { connection, table, path } = await openTable();
  await buildSearchIndex(connection, table, path);
  const indexed = { ...table, searchPath: path };
  for (const search of ['holder', '数据', 'xyzzy', 'nowhere at all']) {
    const choice = { ...all, search, offset: 0, limit: 40, maxCellCharacters: 32, countMs: 60_000, listed: null };
    const scanned = await readRowsOf(connection, { kind: 'rows', table, ...choice });
    const listPath = `${path}.list`;
    const total = await listRows(connection, { kind: 'list', table: indexed, listPath, ...all, search });
    assert.equal(total, scanned.total);
    const listed = { path: listPath, total };
    assert.deepEqual(await readRowsOf(connection, { kind: 'rows', table: indexed, ...choice, listed }), scanned);
    const next = { ...choice, offset: 3, limit: 5 };
    assert.deepEqual(
      await readRowsOf(connection, { kind: 'rows', table: indexed, ...next, listed }),
      await readRowsOf(connection, { kind: 'rows', table, ...next }),
    );
  }
});

test('letters that have several small forms are found by any of them', async () => {
  const { connection, table } = await openTable();
  const find = async (search: string): Promise<number | null> =>
    (
      await readRowsOf(connection, {
        kind: 'rows',
        table,
        ...all,
        search,
        offset: 0,
        limit: 1,
        maxCellCharacters: 32,
        countMs: 60_000,
        listed: null,
      })
    ).total;
  for (const word of ['ΟΔΟΣ', 'İstanbul', 'ẞtraße']) assert.ok(Number(await find(word)) > 0, word);
});

test('only blocks are read that may have what is searched for', async () => {
  const { connection, table, path } = await openTable();
  const { blocks } = await buildSearchIndex(connection, table, path);
  const chosenBy = async (search: string): Promise<number> => {
    const candidates = await candidatesOf(connection, path, search);
    return candidates === undefined ? blocks : candidates.share * blocks;
  };
  assert.ok((await chosenBy('Only-Here-XYZZY')) <= 2);
  assert.equal(await chosenBy('nowhere at all, not once'), 0);
  assert.equal(await chosenBy('ab'), blocks, 'two bytes tell nothing');
});

test('rows are not counted for longer than they may', async () => {
  const { connection, table } = await openTable();
  const page = { offset: 0, limit: 2, maxCellCharacters: 32, listed: null };
  const found = await readRowsOf(connection, { kind: 'rows', table, ...all, search: 'a', ...page, countMs: 0 });
  assert.deepEqual([found.total, found.rows.map(({ row }) => row)], [null, [0, 1]]);
  const counted = async (countMs: number): Promise<number | null> =>
    (await readRowsOf(connection, { kind: 'rows', table, ...all, search: 'a', ...page, countMs })).total;
  // Whether the time suffices depends on the machine; but a partial count is never returned as the total.
  assert.ok([null, await counted(60_000)].includes(await counted(1)));
  const end = { ...all, search: 'xyzzy', ...page, countMs: 0 };
  const few = await readRowsOf(connection, { kind: 'rows', table, ...end });
  assert.deepEqual([few.total, few.rows.length], [1, 1], 'the last rows tell how many there are');
});

test('an index for searches that breaks off, or has another format, is none', async () => {
  const { connection, table, path } = await openTable();
  assert.equal(isSearchIndex(path), false);
  await buildSearchIndex(connection, table, path);
  assert.equal(isSearchIndex(path), true);
  const whole = readFileSync(path);
  for (const size of [0, 5, 20, whole.length >> 1, whole.length - 1]) {
    truncateSync(path, size);
    assert.equal(isSearchIndex(path), false, `${size} bytes`);
    writeFileSync(path, whole);
  }
  writeFileSync(path, Buffer.concat([whole.subarray(0, -16), Buffer.from('TILTHSG0'), whole.subarray(-8)]));
  assert.equal(isSearchIndex(path), false);
});

test('a set of grams has all grams of its texts, in a size that follows them', () => {
  const set = createGramSet();
  const texts = Array.from({ length: 500 }, (_, index) => Buffer.from(`text ${index * 7919} 文本${index}`));
  for (const text of texts) set.add(text);
  const bits = set.take();
  const has = (text: string): boolean =>
    gramsOf(Buffer.from(text)).every((gram) => {
      const place = gram & (bits.length * 8 - 1);
      return ((bits[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0;
    });
  for (const text of texts) assert.ok(has(text.toString()));
  assert.ok(bits.length * 8 >= 500 * 12 && bits.length < 500 * 12);
  assert.ok(!has('something else'));
  set.add(Buffer.from('x'));
  assert.equal(set.take().length, 128);
});
