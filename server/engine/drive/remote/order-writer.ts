import { readFile } from 'node:fs/promises';
import type { BlobBytes, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { BlobRow, SharedBlobs } from '../../../storage/blobs/index.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { PoolOrder } from '../shards/worker-pool.ts';
import { createOrderStage } from './order-stage.ts';
import {
  blobIdsOf,
  orderFormat,
  type RemoteOrder,
  type RemoteSettings,
  type RemoteWork,
  type StoredIndex,
  type StoredPackage,
} from './remote-order.ts';

export type OrderWriterOptions = {
  blobs: Pick<BlobBytes, 'create' | 'flush' | 'settle'>;
  shared: Pick<SharedBlobs, 'locate'>;
  settings: RemoteSettings;
  /** Local paths of the packages of the published operators among the steps. Throws SetupError. */
  packagesOf: (order: PoolOrder) => Promise<readonly { digest: string; path: string }[]>;
};

export type WrittenOrder = {
  order: RemoteOrder;
  /** Those of these blobs, missing where the order located them, that are not elsewhere either. */
  findGone(ids: readonly string[]): Promise<string[]>;
};

/** Writes orders for workers without a database: bytes are identified by their objects. */
export type OrderWriter = {
  /** `gone`: blobs whose bytes are known to be missing. */
  write(work: RemoteWork, gone: readonly string[]): Promise<WrittenOrder>;
  close(): Promise<void>;
};

export function createOrderWriter({ blobs, shared, settings, packagesOf }: OrderWriterOptions): OrderWriter {
  const stage = createOrderStage(blobs);

  async function placeIndexes(indexes: ReadonlyMap<number, SharedIndex>, rows: BlobRow[]): Promise<StoredIndex[]> {
    const stored: StoredIndex[] = [];
    for (const [step, index] of indexes) {
      const parts = [index.slots, index.places, index.paths].map((bytes) => new Uint8Array(bytes));
      const staged = (await stage.put(index, async () => parts)).map(rowOf);
      const [slots, places, paths] = staged.map(({ id }) => id);
      if (slots === undefined || places === undefined || paths === undefined)
        throw new Error('An index has three parts');
      rows.push(...staged);
      stored.push({ step, slots, places, paths });
    }
    return stored;
  }

  async function placePackages(work: RemoteWork, rows: BlobRow[]): Promise<StoredPackage[]> {
    const stored: StoredPackage[] = [];
    for (const { digest, path } of await packagesOf(work)) {
      for (const blob of await stage.put(digest, async () => [await readFile(path)])) {
        rows.push(rowOf(blob));
        stored.push({ digest, id: blob.id });
      }
    }
    return stored;
  }

  return {
    async write({ task, job }, gone) {
      const { indexes: known = new Map<number, SharedIndex>(), ...rest } = { indexes: undefined, ...job };
      const work = { task, job: rest } as RemoteWork;
      const located = await shared.locate(blobIdsOf(work));
      const rows = [...located];
      const indexes = await placeIndexes(known, rows);
      const packages = await placePackages(work, rows);
      return {
        order: { format: orderFormat, settings, work, indexes, packages, rows, gone: [...gone] },
        async findGone(ids) {
          const others = await stage.forget(ids);
          const before = new Map(located.map((row) => [row.id, row.object_id]));
          const now = new Map((await shared.locate(others)).map((row) => [row.id, row.object_id]));
          return others.filter((id) => now.get(id) === undefined || now.get(id) === before.get(id));
        },
      };
    },
    close: () => stage.close(),
  };
}

function rowOf({ id, sizeBytes, crc32, sha256, place }: StagedBlob): BlobRow {
  return {
    id,
    size_bytes: sizeBytes,
    crc32,
    sha256,
    kind: place.kind,
    object_id: place.kind === 'empty' ? '' : place.objectId,
    object_offset: place.kind === 'pack' ? place.offset : 0,
    folder_no: null,
  };
}
