// What every connector keeps, over the source that its declaration opens; a connector without a declaration fails.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connectorSources, namesOf } from '../../tests/support/connector-sources.ts';
import { sized } from '../../tests/support/long-tests.ts';
import { testWith } from '../../tests/support/tools.ts';
import { parseDestination } from '../kernel/destination.ts';
import { parseFilePath } from '../kernel/file-path.ts';
import { createOutgoing } from '../outgoing/index.ts';
import { parseConfig, type Connector, type Effects, type FileItem, type RowSet } from './connector.ts';
import { connectors } from './registry.ts';

test('every connector has a declaration, and every declaration a connector', () => {
  const types = connectors.map(({ type }) => type).toSorted();
  assert.deepEqual(Object.keys(connectorSources).toSorted(), types);
});

function parsed(connector: Connector, given: object): Record<string, unknown> {
  const result = parseConfig(connector, given, [tmpdir()]);
  assert.ok(result.ok, JSON.stringify(result));
  return { ...result.config };
}

async function effectsOf(t: TestContext): Promise<Effects> {
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'tilth-conformance-'));
  t.after(() => rm(scratchDirectory, { recursive: true }));
  return {
    outgoing: createOutgoing({ allow: [parseDestination('127.0.0.1')] }),
    roots: [tmpdir()],
    scratchDirectory,
    signal: new AbortController().signal,
    log: async () => {},
    pause: async () => {},
    journal: { items: 0, spent: undefined, async *notes() {}, spend: async () => {} },
  };
}

type ListedFile = { item: FileItem; text: string; stamp: unknown };

/** The names of files that a later run would fetch again, given what the first one stored. */
async function listChanged(
  connector: Connector,
  config: Record<string, unknown>,
  effects: Effects,
  earlier: readonly ListedFile[],
): Promise<string[]> {
  const stamps = new Map(earlier.map(({ item, stamp }) => [item.key, JSON.stringify(stamp)]));
  const changed: string[] = [];
  for await (const item of connector.read(config, effects, undefined)) {
    if (item.kind !== 'file') continue;
    const stamp = stamps.get(item.key);
    if (stamp === undefined || JSON.stringify(item.stamp) !== stamp) {
      const known: unknown = stamp === undefined ? undefined : JSON.parse(stamp);
      const fetched = await item.load(known, effects.signal);
      if (fetched !== 'unchanged' && (!('kind' in fetched) || fetched.kind !== 'unchanged')) changed.push(item.name);
    }
    item.release?.();
  }
  return changed;
}

/** Lists files from a cursor on, and fetches each; `most` ends the list early, as a kill does. */
async function listFiles(
  connector: Connector,
  config: Record<string, unknown>,
  effects: Effects,
  { cursor, most = Infinity }: { cursor?: unknown; most?: number } = {},
): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  for await (const item of connector.read(config, effects, cursor)) {
    if (item.kind !== 'file') continue;
    const fetched = await item.load(undefined, effects.signal);
    assert.ok(fetched !== 'unchanged' && 'bytes' in fetched, `${item.name} is fetched`);
    const pieces: Uint8Array[] = [];
    for await (const piece of fetched.bytes) pieces.push(piece);
    item.release?.();
    found.push({ item, text: Buffer.concat(pieces).toString(), stamp: item.stamp ?? fetched.stamp });
    if (found.length >= most) break;
  }
  return found;
}

async function rowSetOf(connector: Connector, config: Record<string, unknown>, effects: Effects): Promise<RowSet> {
  for await (const item of connector.read(config, effects, undefined)) if (item.kind === 'rows') return item;
  return assert.fail('the source has rows');
}

async function readLines(set: RowSet, position?: unknown): Promise<{ lines: string[]; position: unknown }> {
  const lines: string[] = [];
  let last = position;
  for await (const batch of set.read(position)) {
    lines.push(
      ...Buffer.from(batch.lines)
        .toString()
        .split('\n')
        .filter((line) => line !== ''),
    );
    if (batch.position !== undefined) last = batch.position;
  }
  return { lines, position: last === undefined ? undefined : JSON.parse(JSON.stringify(last)) };
}

for (const connector of connectors) {
  const declaration = connectorSources[connector.type];
  if (declaration === undefined) continue;
  const { tools, kind, follows, open } = declaration;
  const count = 7;

  if (kind === 'files')
    testWith(
      tools,
      `${connector.type}: files are listed alike each time, and from each item on`,
      async (t, ...paths) => {
        const effects = await effectsOf(t);
        const { config } = await open(t, count, paths);
        const given = parsed(connector, config);
        const all = await listFiles(connector, given, effects);
        assert.equal(all.length, count);
        assert.equal(new Set(all.map(({ item }) => item.key)).size, count, 'each has a key of its own');
        for (const { item } of all) parseFilePath('path', item.path);
        if (follows !== true)
          assert.deepEqual(
            all.map(({ text }) => text).toSorted(),
            namesOf(count)
              .map((name) => `content of ${name}`)
              .toSorted(),
          );
        const keys = all.map(({ item }) => item.key);
        const again = await listFiles(connector, given, effects);
        assert.deepEqual(
          again.map(({ item }) => [item.key, item.path]),
          all.map(({ item }) => [item.key, item.path]),
        );
        if (connector.incremental)
          assert.deepEqual(
            await listChanged(connector, given, effects, all),
            [],
            'nothing changed, so nothing is fetched again',
          );
        if (follows === true) return;
        for (let most = 1; most <= count; most += 1) {
          const before = await listFiles(connector, given, effects, { most });
          const cursor: unknown = JSON.parse(JSON.stringify(before.at(-1)?.item.cursor ?? null)) ?? undefined;
          const after = await listFiles(connector, given, effects, { cursor });
          const seen = new Set([...before, ...after].map(({ item }) => item.key));
          assert.deepEqual(
            keys.filter((key) => !seen.has(key)),
            [],
            `none is lost after ${most}`,
          );
          assert.deepEqual(
            after.map(({ item }) => item.key),
            keys.slice(-after.length || count),
            'the order stays',
          );
        }
      },
    );
  else
    testWith(
      tools,
      `${connector.type}: rows come once each, also those of one value and late ones`,
      async (t, ...paths) => {
        const effects = await effectsOf(t);
        const { config, addTie } = await open(t, count, paths);
        const given = parsed(connector, config);
        const first = await readLines(await rowSetOf(connector, given, effects));
        assert.equal(first.lines.length, count);
        assert.equal(new Set(first.lines).size, count);
        assert.deepEqual(
          (await readLines(await rowSetOf(connector, given, effects))).lines,
          first.lines,
          'in one order',
        );
        const set = await rowSetOf(connector, given, effects);
        if (!set.isIncremental) return;
        const second = await readLines(set, first.position);
        assert.deepEqual(second.lines, [], 'nothing comes again');
        await addTie?.();
        const late = await readLines(await rowSetOf(connector, given, effects), second.position ?? first.position);
        assert.equal(late.lines.length, addTie === undefined ? 0 : 1, 'a late row of the last value comes alone');
        const last = await readLines(await rowSetOf(connector, given, effects), late.position);
        assert.deepEqual(last.lines, [], 'and once');
      },
    );

  testWith(tools, `${connector.type}: many items are read to their end`, async (t, ...paths) => {
    const many = sized(300, 10_000);
    const effects = await effectsOf(t);
    const { config } = await open(t, many, paths);
    const given = parsed(connector, config);
    if (kind === 'files') assert.equal((await listFiles(connector, given, effects)).length, many);
    else assert.equal((await readLines(await rowSetOf(connector, given, effects))).lines.length, many);
  });
}
