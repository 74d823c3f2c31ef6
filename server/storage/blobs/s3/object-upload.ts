import { AppError } from '../../../kernel/errors.ts';
import { storageUnavailable } from '../errors.ts';
import { createCrc32Combiner } from '../../../kernel/crc32.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { WrongPartsError, type Multipart, type ObjectStore, type SentPart, type StoredPart } from './object-store.ts';
import { createPartCutter, partBytes } from './part-cutter.ts';

/** Writes one object sequentially: small ones by one call, larger ones in parts that are sent while bytes arrive. */
export type ObjectUpload = {
  readonly sizeBytes: number;
  readonly crc32: number;
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** All written bytes; only while all of them are still in memory. */
  gathered(): Buffer;
  /** The object exists when this resolves. */
  complete(): Promise<void>;
  /** Removes everything sent for an incomplete object. */
  discard(): Promise<void>;
};

/** Part size grows with the object, which may have at most 10,000 parts. */
const growth: readonly { from: number; bytes: number }[] = [
  { from: 5000, bytes: 16 * partBytes },
  { from: 2000, bytes: 4 * partBytes },
  { from: 0, bytes: partBytes },
];

export const sizeOfPart = (index: number): number => growth.find(({ from }) => index >= from)?.bytes ?? partBytes;

export function createObjectUpload(options: { store: ObjectStore; key: string; budget: MemoryBudget }): ObjectUpload {
  const { store, key, budget } = options;
  let starting: Promise<string> | undefined;
  const parts: SentPart[] = [];
  let isEnded = false;

  const cutter = createPartCutter({
    budget,
    minTailBytes: 0,
    sizeOf: sizeOfPart,
    async send(index, bytes, crc32) {
      parts[index] = { partNo: index + 1, sizeBytes: bytes.length, crc32 };
      starting ??= store.startMultipart(key);
      await store.putPart({ key, uploadId: await starting }, index + 1, bytes, crc32);
    },
  });

  async function completeParts(uploadId: string): Promise<void> {
    await cutter.end();
    const upload = { key, uploadId };
    try {
      await store.complete(upload, await findSentParts(store, upload, parts), cutter);
    } catch (error) {
      throw error instanceof AppError ? error : storageUnavailable(error);
    }
  }

  return {
    get sizeBytes() {
      return cutter.sizeBytes;
    },
    get crc32() {
      return cutter.crc32;
    },
    write: (bytes) => cutter.write(bytes),
    gathered: () => cutter.gathered(),
    async complete() {
      isEnded = true;
      if (cutter.hasSent) {
        starting ??= store.startMultipart(key);
        return completeParts(await starting);
      }
      try {
        await store.put(key, cutter.gathered(), cutter.crc32);
      } finally {
        await cutter.abandon();
      }
    },
    async discard() {
      await cutter.abandon();
      const uploadId = await starting?.catch(() => undefined);
      if (uploadId !== undefined) await store.abort({ key, uploadId });
      if (isEnded) await store.remove(key);
    },
  };
}

/** The parts of an upload as listed by the service, each compared with what was sent. */
export async function findSentParts(
  store: ObjectStore,
  upload: Multipart,
  sent: readonly SentPart[],
): Promise<StoredPart[]> {
  const stored = new Map((await store.listParts(upload)).map((part) => [part.partNo, part]));
  return sent.map(({ partNo, sizeBytes, crc32 }) => {
    const part = stored.get(partNo);
    if (part === undefined || part.sizeBytes !== sizeBytes || (part.crc32 ?? crc32) !== crc32)
      throw new WrongPartsError(`Part ${partNo} of ${upload.key} is not what was sent`);
    return part;
  });
}

/** Size and CRC-32 of parts one after another; the latter only if the service records checksums. */
export function sumParts(parts: readonly StoredPart[]): { sizeBytes: number; crc32: number | undefined } {
  const combine = createCrc32Combiner();
  let sizeBytes = 0;
  let crc32: number | undefined = 0;
  for (const part of parts) {
    crc32 = crc32 === undefined || part.crc32 === undefined ? undefined : combine(crc32, part.crc32, part.sizeBytes);
    sizeBytes += part.sizeBytes;
  }
  return { sizeBytes, crc32 };
}
