import type { MemoryBudget } from './memory-budget.ts';
import type { ObjectStore, Multipart, StoredPart } from './object-store.ts';
import { WrongPartsError } from './object-store.ts';
import { maxParts } from './chunk-lanes.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { minPartBytes, partBytes } from './part-cutter.ts';

/** Bytes [from, to) of an object; `isWhole` if these are all its bytes. */
export type ObjectRange = { key: string; from: number; to: number; isWhole: boolean };

/** A part of the new object: an object copied by the service itself, or bytes that are read and sent again. */
type PlannedPart = { copy: ObjectRange } | { read: ObjectRange[] };

const maxCopyBytes = 5 * 1024 ** 3;
const sizeOf = ({ from, to }: ObjectRange): number => to - from;

/**
 * Divides the bytes of sources into parts. Large enough objects are copied by the service, and only as a whole, because
 * versitygw uses the checksum of the whole object for a copied range. Everything else is gathered.
 */
export function planParts(sources: readonly ObjectRange[], sizeBytes: number): PlannedPart[] {
  // With very many sources, copies alone could exceed the maximum number of parts, so everything is gathered.
  const mayCopy = sources.length <= maxParts / 2;
  const gatherBytes = Math.max(partBytes, Math.ceil(sizeBytes / (maxParts / 4)));
  const planned: PlannedPart[] = [];
  let gathered: ObjectRange[] = [];
  let gatheredBytes = 0;

  function flush(): void {
    if (gathered.length > 0) planned.push({ read: gathered });
    gathered = [];
    gatheredBytes = 0;
  }

  for (const source of sources) {
    const isLarge = sizeOf(source) >= minPartBytes && sizeOf(source) <= maxCopyBytes;
    if (mayCopy && source.isWhole && isLarge && (gatheredBytes === 0 || gatheredBytes >= minPartBytes)) {
      flush();
      planned.push({ copy: source });
      continue;
    }
    for (let { from } = source; from < source.to;) {
      const to = Math.min(source.to, from + gatherBytes - gatheredBytes);
      gathered.push({ ...source, from, to });
      gatheredBytes += to - from;
      from = to;
      if (gatheredBytes === gatherBytes) flush();
    }
  }
  flush();
  return planned;
}

/** Reads the bytes of sources into memory. */
export async function readSources(store: ObjectStore, sources: readonly ObjectRange[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sources.reduce((sum, source) => sum + sizeOf(source), 0));
  let offset = 0;
  const waiting = sources.map((source) => {
    const target = bytes.subarray(offset, offset + sizeOf(source));
    offset += target.length;
    return { source, target };
  });
  waiting.reverse();
  await inParallel(8, waiting, async ({ source, target }) => {
    if ((await store.read(source.key, target, source.from)) !== target.length)
      throw new WrongPartsError(`${source.key} is shorter than what was sent`);
  });
  return bytes;
}

/** Processes the items, last first, with up to `workers` at a time. */
async function inParallel<T>(workers: number, items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const one = async (): Promise<void> => {
    for (let next = items.pop(); next !== undefined; next = items.pop()) await work(next);
  };
  await Promise.all(Array.from({ length: workers }, one));
}

/** Composes an object from the bytes of others. */
export async function composeObject(
  { store, budget }: { store: ObjectStore; budget: MemoryBudget },
  key: string,
  sources: readonly ObjectRange[],
  whole: { sizeBytes: number; crc32: number },
): Promise<void> {
  const upload: Multipart = { key, uploadId: await store.startMultipart(key) };
  try {
    const planned = planParts(sources, whole.sizeBytes);
    const numbered = planned.map((part, index) => ({ part, partNo: index + 1 }));
    await inParallel(4, numbered, ({ part, partNo }) => makePart(part, partNo));
    const stored: StoredPart[] = await store.listParts(upload);
    await store.complete(
      upload,
      stored.toSorted((a, b) => a.partNo - b.partNo),
      whole,
    );
  } catch (error) {
    await store.abort(upload).catch(() => {});
    throw error;
  }

  async function makePart(part: PlannedPart, partNo: number): Promise<void> {
    if ('copy' in part) return store.copyPart(upload, partNo, part.copy);
    await budget.room();
    const bytes = await readSources(store, part.read);
    budget.add(bytes.length);
    try {
      await store.putPart(upload, partNo, bytes, crc32(bytes));
    } finally {
      budget.free(bytes.length);
    }
  }
}
