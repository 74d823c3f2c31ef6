import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { adoptAll, openTestStore, patternBytes, readBlob, type TestStore } from '../../../../tests/support/blobs.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import type { Assembly, ChunkOutcome, ChunkWriter } from '../blob-store.ts';
import type { Lane } from '../files/writable-file.ts';

/** One client's attempt at one chunk. `variant` 0 is the content that most clients send. */
type Attempt = {
  chunkNo: number;
  variant: number;
  /** The size that the client announces: the right one, a wrong one, or none. */
  expect: 'right' | 'wrong' | 'none';
  pieces: number;
  end: 'finish' | 'abort' | 'leave';
};

/** Concurrent attempts; `order`: whose next step is started; `restartAfter`: the attempt after which everything is closed. */
type History = {
  sizes: number[];
  announced: boolean;
  attempts: Attempt[];
  order: number[];
  restartAt: number | undefined;
  newBoot: boolean;
};

/** From 0 bytes to three blocks, often close to a block boundary. */
const sizeArbitrary = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 4095, 4096, 4097, 8192) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 33_000, max: 90_000 }) },
);

const sizesArbitrary = fc.oneof(
  // Equal chunks and a shorter last one, as clients send them.
  fc
    .tuple(sizeArbitrary, fc.integer({ min: 1, max: 6 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([size, count, part]) => [...Array.from({ length: count - 1 }, () => size), Math.floor(size * part)]),
  fc.array(sizeArbitrary, { minLength: 1, maxLength: 5 }),
);

const historyArbitrary: fc.Arbitrary<History> = sizesArbitrary.chain((sizes) =>
  fc.record({
    sizes: fc.constant(sizes),
    announced: fc.boolean(),
    attempts: fc.array(
      fc.record({
        chunkNo: fc.oneof(
          fc.integer({ min: 1, max: Math.min(2, sizes.length) }),
          fc.integer({ min: 1, max: sizes.length }),
        ),
        variant: fc.constantFrom(0, 0, 1),
        expect: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const, 'none' as const),
        pieces: fc.integer({ min: 1, max: 4 }),
        end: fc.constantFrom(
          'finish' as const,
          'finish' as const,
          'finish' as const,
          'abort' as const,
          'leave' as const,
        ),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    order: fc.array(fc.nat(1000), { minLength: 10, maxLength: 60 }),
    restartAt: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
    newBoot: fc.boolean(),
  }),
);

/** A variant may also be longer or shorter than the chunk should be. */
function bytesOf(history: History, chunkNo: number, variant: number): Buffer {
  const size = history.sizes[chunkNo - 1] ?? 0;
  if (variant === 0) return patternBytes(chunkNo, size);
  return patternBytes(1000 + chunkNo, chunkNo % 3 === 0 ? size : chunkNo % 3 === 1 ? size + 5000 : Math.ceil(size / 2));
}

/** Asserts that the first finished attempt at each chunk counts and that later attempts learn how they compare to it. */
async function runHistory(first: TestStore, history: History): Promise<TestStore> {
  let current = first;
  const { sizes, attempts } = history;
  const chunkSizeBytes = history.announced ? Math.max(1, sizes[0] ?? 1) : null;
  const { id } = await current.store.createAssembly({ totalChunks: sizes.length, chunkSizeBytes });
  const received = new Map<number, Buffer>();
  const outcomes: { chunkNo: number; bytes: Buffer; outcome: ChunkOutcome }[] = [];
  let life = 0;

  const openAssembly = async (): Promise<Assembly> => {
    const assembly = await current.store.findAssembly(id);
    assert.ok(assembly);
    return assembly;
  };

  const started = attempts.map((attempt) => {
    const bytes = bytesOf(history, attempt.chunkNo, attempt.variant);
    const pieceBytes = Math.ceil(bytes.length / attempt.pieces) || 1;
    const bornIn = life;
    let writer: ChunkWriter | undefined;
    const steps: (() => Promise<void>)[] = [
      async () => {
        const expected = { right: bytes.length, wrong: bytes.length + 77, none: undefined }[attempt.expect];
        writer = await (await openAssembly()).openChunk(attempt.chunkNo, expected);
      },
    ];
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      steps.push(async () => {
        // This copy is overwritten at once, so the store must have made its own.
        const piece = Buffer.from(bytes.subarray(from, from + pieceBytes));
        await writer?.write(piece);
        piece.fill(0xee);
      });
    }
    if (attempt.end === 'abort') steps.push(async () => writer?.abort());
    if (attempt.end === 'finish') {
      steps.push(async () => {
        const outcome = await writer?.finish();
        if (outcome !== undefined) outcomes.push({ chunkNo: attempt.chunkNo, bytes, outcome });
      });
    }
    return { steps, bornIn, last: Promise.resolve() };
  });

  const step = (pick: number): void => {
    const ready = started.filter((attempt) => attempt.steps.length > 0 && attempt.bornIn === life);
    const attempt = ready[pick % Math.max(1, ready.length)];
    const next = attempt?.steps.shift();
    if (attempt !== undefined && next !== undefined) attempt.last = attempt.last.then(next);
  };

  for (const [index, pick] of history.order.entries()) {
    if (index === history.restartAt) {
      await Promise.all(started.map((attempt) => attempt.last));
      current = await current.reopen({ bootId: history.newBoot ? `boot-${Math.random()}` : 'boot' });
      life++;
    }
    step(pick);
    if (pick % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(started.map((attempt) => attempt.last));

  for (const { chunkNo, bytes, outcome } of outcomes) {
    if (outcome !== 'received') continue;
    assert.ok(!received.has(chunkNo), `chunk ${chunkNo} was received twice`);
    received.set(chunkNo, bytes);
  }
  for (const { chunkNo, bytes, outcome } of outcomes) {
    if (outcome === 'received') continue;
    const stored = received.get(chunkNo);
    assert.ok(stored, `chunk ${chunkNo} was compared with nothing`);
    assert.equal(outcome, stored.equals(bytes) ? 'repeated' : 'conflict');
  }

  const assembly = await openAssembly();
  assert.equal(assembly.receivedChunks, received.size);
  assert.deepEqual(
    assembly.missingChunks(100),
    sizes.map((_, index) => index + 1).filter((chunkNo) => !received.has(chunkNo)),
  );
  for (const chunkNo of assembly.missingChunks(100)) {
    const bytes = bytesOf(history, chunkNo, 0);
    const writer = await assembly.openChunk(chunkNo, bytes.length);
    await writer.write(bytes);
    assert.equal(await writer.finish(), 'received');
    received.set(chunkNo, bytes);
  }
  const whole = Buffer.concat(sizes.map((_, index) => received.get(index + 1) ?? Buffer.alloc(0)));
  const staged = await assembly.seal();
  assert.equal(staged.sizeBytes, whole.length);
  await adoptAll(current.store, current.db, [staged]);
  assert.ok((await readBlob(current.store, id)).equals(whole), 'the blob differs from the chunks that were received');
  for (const [chunkNo, bytes] of received) {
    const again = await assembly.openChunk(chunkNo);
    await again.write(bytes);
    assert.equal(await again.finish(), 'repeated');
  }
  await current.store.dropAssemblies([id]);
  assert.ok((await readBlob(current.store, id)).equals(whole));
  await current.db.write((tx) => current.store.release(tx, [id]));
  await current.store.sweep();
  return current;
}

async function listAll(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

for (const lane of ['direct', 'buffered'] satisfies Lane[]) {
  test(`any history of chunks ends in the model's bytes and leaves nothing behind (${lane})`, async (t) => {
    let current = await openTestStore(t, { lane, packThresholdBytes: 20_000, bootId: 'boot' });
    await fc.assert(
      fc.asyncProperty(historyArbitrary, async (history) => {
        current = await runHistory(current, history);
      }),
      { numRuns: sized(25, 100), endOnFailure: true },
    );
    current = await current.reopen({});
    await current.store.sweep();
    const left = (await listAll(current.directory)).filter((path) => !path.includes('/packs/'));
    assert.deepEqual(left, []);
  });
}
