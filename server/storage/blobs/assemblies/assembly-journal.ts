import type { Database, Tx } from '../../database/database.ts';
import type { AssemblyChunksTable } from '../../database/tables/blobs.ts';
import {
  insertAssemblies,
  insertChunks,
  sealAssemblies,
  setChunkSizes,
  setChunksPlaced,
  type LearntChunkSize,
  type NewAssembly,
  type PlacedChunk,
  type SealedAssembly,
} from '../queries/assemblies.ts';

/** A change of an assembly's rows; all changes that are ready at the same time share a transaction. */
export type JournalEntry =
  | { kind: 'created'; row: NewAssembly }
  | { kind: 'received'; row: AssemblyChunksTable; learnt: LearntChunkSize | undefined }
  | { kind: 'placed'; row: PlacedChunk }
  | { kind: 'sealed'; row: SealedAssembly };

export type AssemblyJournal = {
  /** Resolves when the entry is committed. */
  put(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
};

const maxGroup = 5000;

type Waiting = { entry: JournalEntry; resolve(): void; reject(error: Error): void };

export function createAssemblyJournal(db: Database): AssemblyJournal {
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Wait one turn of the event loop, so that all entries of this turn join the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxGroup);
      waiting = waiting.slice(maxGroup);
      try {
        const entries = group.map(({ entry }) => entry);
        // A chunk must survive the death of the process; loss by power failure is detected when its upload resumes.
        const sync = entries.every(({ kind }) => kind === 'received') ? 'later' : 'now';
        await db.write((tx) => writeEntries(tx, entries), { sync });
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error as Error);
      }
    }
    running = undefined;
  }

  return {
    put(entry) {
      return new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        running ??= run();
      });
    },
    async close() {
      await running;
    },
  };
}

async function writeEntries(tx: Tx, entries: readonly JournalEntry[]): Promise<void> {
  const created = entries.flatMap((entry) => (entry.kind === 'created' ? [entry.row] : []));
  const received = entries.flatMap((entry) => (entry.kind === 'received' ? [entry.row] : []));
  const learnt = entries.flatMap((entry) => (entry.kind === 'received' && entry.learnt ? [entry.learnt] : []));
  const placed = entries.flatMap((entry) => (entry.kind === 'placed' ? [entry.row] : []));
  const sealed = entries.flatMap((entry) => (entry.kind === 'sealed' ? [entry.row] : []));
  if (created.length > 0) await insertAssemblies(tx, created);
  if (learnt.length > 0) await setChunkSizes(tx, learnt);
  if (received.length > 0) await insertChunks(tx, received);
  if (placed.length > 0) await setChunksPlaced(tx, placed);
  if (sealed.length > 0) await sealAssemblies(tx, sealed);
}
