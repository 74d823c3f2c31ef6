import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { Type } from 'typebox';
import { foreign } from '../../server/kernel/sentences/index.ts';
import type { InputFile } from '../../server/engine/drive/job.ts';
import { planShards, type PlanOptions } from '../../server/engine/drive/shards/plan.ts';
import type { LedgerLine } from '../../server/engine/orders/ledger-line.ts';
import type { Piece, Recipe } from '../../server/engine/orders/shard.ts';
import { processShard } from '../../server/engine/work/samples/shard-work.ts';
import { scanTable } from '../../server/engine/work/samples/table-scan.ts';
import { defineOperator, drop } from '../../server/operators/operator.ts';
import type { Counts } from '../../server/runs/index.ts';
import type { Encoding } from '../../server/encodings/encodings.ts';
import type { ReadAt } from '../../server/tables/lines.ts';
import { noEffects } from './model-effects.ts';

/** The table that was written, and the account of it. */
export type TableResult = { bytes: Buffer; counts: Counts; ledger: LedgerLine[]; parts: number };

function readerOf(content: Uint8Array): ReadAt {
  return (target, position) => {
    const part = content.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
}

const step = (operatorId: string): Recipe['steps'][number] => ({ operatorId, version: '1.0.0', params: {} });

type Options = {
  shardBytes?: number;
  steps?: string[];
  textField?: string;
  encoding?: Encoding;
  maxRowBytes?: number;
  isScanned?: boolean;
};

/** Runs a table through the whole path: it is planned and scanned, each shard processed, and the outputs joined. */
export async function run(path: string, content: Uint8Array, options: Options = {}): Promise<TableResult> {
  const {
    shardBytes = 1 << 30,
    steps = ['fate'],
    textField = null,
    encoding = null,
    maxRowBytes = 64 << 20,
    isScanned = true,
  } = options;
  const recipe: Recipe = { steps: steps.map(step), onError: 'KEEP', textField, encoding };
  const read = readerOf(content);
  const file: InputFile = { fileId: 'f', path, sizeBytes: content.length, blobId: 'b' };
  const place = { path: '', offset: 0 };
  const cutColumn = (): never => assert.fail('no such table');
  const plan: PlanOptions = { shardBytes, shardFiles: 10, cutColumn, cutTable: () => Promise.resolve(undefined) };
  if (isScanned) {
    plan.cutTable = async ({ sizeBytes }, format) =>
      scanTable(
        {
          path,
          sizeBytes,
          crc32: crc32(content),
          format,
          place,
          field: textField,
          encoding,
          stepBytes: shardBytes,
          maxRowBytes,
        },
        read,
        () => {},
      );
  }
  const pieces: Piece[] = [];
  for await (const shard of planShards(
    (async function* () {
      yield [file];
    })(),
    plan,
  ))
    pieces.push(...shard.pieces);
  const outputs: Uint8Array[] = [];
  const ledger: LedgerLine[] = [];
  const counts: Counts = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };
  for (const piece of pieces) {
    const limits = { maxRowBytes, maxDocumentBytes: 1 << 20 };
    const { from = 0, to = 0, crc32: known } = piece.range ?? {};
    const check = known === undefined ? {} : { check: { from, to, crc32: known } };
    const job = { recipe, pieces: [{ ...piece, place, ...check }], poison: [], limits, verdicts: [] };
    const progress = { sample: () => {}, step: () => {}, batch: () => {} };
    const resources = { operators: [fate], effects: noEffects, open: () => read, progress };
    const result = processShard(job, resources);
    for (const { from, start, end } of result.pieces[0]?.outputs ?? []) {
      outputs.push((from === 'source' ? content : result.bytes).subarray(start, end));
    }
    for (const key of ['in', 'kept', 'changed', 'dropped', 'failed', 'emitted'] as const)
      counts[key] += result.counts[key];
    const lines = Buffer.from(result.ledger).toString().split('\n').slice(0, -1);
    for (const line of lines) ledger.push(JSON.parse(line) as LedgerLine);
  }
  return { bytes: Buffer.concat(outputs), counts, ledger, parts: pieces.length };
}

/** The outcome of the operator `fate`, which the text itself specifies. */
export function fateOf(text: string): string[] | 'failed' {
  if (text.includes('drop')) return [];
  if (text.includes('throw')) return 'failed';
  if (text.includes('split')) return text.split('split');
  return [text.replaceAll('change', 'a "new"\nvalue, é; 高')];
}

const fate = defineOperator({
  id: 'fate',
  version: '1.0.0',
  name: 'Fate',
  description: 'Does what the text says.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: [],
  params: Type.Object({}),
  examples: [],
  each: () => (sample) => {
    const outcome = fateOf(sample.text);
    if (outcome === 'failed') throw new Error('as it was told');
    const [first] = outcome;
    if (first === undefined) return drop(foreign('as it was told'));
    return outcome.length === 1
      ? first === sample.text
        ? sample
        : { text: first }
      : outcome.map((text) => ({ text }));
  },
});

export type TableCase = readonly [
  title: string,
  path: string,
  content: string | Buffer,
  expected: {
    bytes: string | Buffer;
    /** Verdict and reason of each row. */
    rows: unknown[];
    textField?: string;
    encoding?: Encoding;
    maxRowBytes?: number;
  },
];

/** Registers a test for each table: cleaned whole and in shards of some bytes, it becomes `bytes`. */
export function testTables(cases: readonly TableCase[]): void {
  for (const [title, path, content, { bytes, rows, ...options }] of cases) {
    test(`a table with ${title}`, async () => {
      for (const cut of [{}, { shardBytes: 5 }]) {
        const result = await run(path, Buffer.from(content), { ...options, ...cut });
        assert.equal(result.bytes.toString('latin1'), Buffer.from(bytes).toString('latin1'));
        assert.deepEqual(
          result.ledger.map(([, , verdict, , reason]) => [verdict, reason ?? null]),
          rows,
        );
      }
    });
  }
}
