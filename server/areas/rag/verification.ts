import type { ReadOnlyDatabase } from '../../storage/database/read-only-database.ts';
import type { IndexedUnit, VectorStore } from '../../storage/vectors/index.ts';
import { listUnitNumbers } from './queries/chunks.ts';
import { listIndexes, type RagIndex } from './queries/indexes.ts';
import {
  listBlobDocuments,
  listDocumentReferences,
  listDocumentsWithoutBlob,
  listKnowledgeBaseNames,
  listStoredUnits,
  type BlobDocument,
  type StoredUnit,
} from './queries/verification.ts';

export type { BlobDocument } from './queries/verification.ts';

type OfIndex = { knowledgeBaseId: string; knowledgeBaseName: string; index: 'CURRENT' | 'NEXT' };

/** A problem that the verification found. */
export type RagFinding =
  /** The number of a document's chunks in the database differs from the number it records. */
  | (OfIndex & { kind: 'document-chunks'; told: number; chunks: number } & Pick<
        StoredUnit,
        'documentId' | 'documentName'
      >)
  /** The index and the database disagree on a document's chunks: some are missing or duplicated. */
  | (OfIndex & {
      kind: 'indexed-chunks';
      chunks: number;
      rows: number;
      distinct: number;
    } & Pick<StoredUnit, 'documentId' | 'documentName'>)
  /** The index has chunks that belong to no document. */
  | (OfIndex & { kind: 'foreign-chunks'; unit: number; rows: number })
  | (OfIndex & { kind: 'unreadable-index'; problem: string })
  /** A document refers to a blob missing from the storage's records. */
  | { kind: 'unknown-document-content'; document: BlobDocument };

export type RagVerification = {
  /** Compares the database with the indexes and yields the problems. Changes nothing; the service may be running. */
  verify(): AsyncGenerator<RagFinding, { indexesToBeMade: number }, void>;
  /** The documents that hold one of the blobs. */
  listHolders(blobIds: readonly string[]): Promise<readonly BlobDocument[]>;
  /** The number of references per blob, ordered by blob id, after `afterId`. */
  listReferences(page: { afterId: string; limit: number }): Promise<readonly { blobId: string; references: number }[]>;
};

const unitsAtOnce = 1_000;
/** Maximum number of findings per index, or of contents. */
const mostOfAKind = 1_000;
const none: IndexedUnit = { rows: 0, chunks: 0, highest: -1 };

export function createRagVerification({
  db,
  vectors,
  isShared,
  areToBeMade,
}: {
  db: ReadOnlyDatabase;
  vectors: Pick<VectorStore, 'inspect'>;
  /** Whether other data folders share this database and have indexes of their own. */
  isShared(): Promise<boolean>;
  /** Whether the service still has to build the indexes of restored data. */
  areToBeMade(): Promise<boolean>;
}): RagVerification {
  async function* verifyIndex(index: RagIndex, of: OfIndex): AsyncGenerator<RagFinding, void, void> {
    let first = await compare(index, of);
    // A running service may have been between two steps; only problems found twice are real.
    if (first.length > 0) first = inBoth(first, await compare(index, of));
    const isInUse = (await listIndexes(db.read, of.knowledgeBaseId)).some(({ indexId }) => indexId === index.indexId);
    if (isInUse) yield* first.slice(0, mostOfAKind);
  }

  async function compare(index: RagIndex, of: OfIndex): Promise<RagFinding[]> {
    const findings: RagFinding[] = [];
    let indexed: ReadonlyMap<number, IndexedUnit>;
    const units = await readUnits(index);
    try {
      indexed = (await vectors.inspect(index.indexId)) ?? new Map();
    } catch (error) {
      return [{ ...of, kind: 'unreadable-index', problem: (error as Error).message }];
    }
    const hasOthers = await isShared();
    const mayMiss = hasOthers || (await areToBeMade());
    for (const { unit, documentId, documentName, told, chunks, highest } of units) {
      const document = { documentId, documentName };
      if (told !== chunks || highest !== told - 1)
        findings.push({ ...of, kind: 'document-chunks', ...document, told, chunks });
      const { rows, chunks: distinct, highest: last } = indexed.get(unit) ?? none;
      if (mayMiss && rows === 0) continue;
      if (rows !== chunks || distinct !== chunks || last !== highest)
        findings.push({ ...of, kind: 'indexed-chunks', ...document, chunks, rows, distinct });
    }
    const known = new Set(await listUnitNumbers(db.scan, index.indexId));
    // Other nodes remove deleted documents immediately only from their own copies.
    for (const [unit, { rows }] of hasOthers ? [] : indexed)
      if (!known.has(unit)) findings.push({ ...of, kind: 'foreign-chunks', unit, rows });
    return findings;
  }

  async function readUnits(index: RagIndex): Promise<StoredUnit[]> {
    const all: StoredUnit[] = [];
    for (let afterUnit = 0; ;) {
      const units = await listStoredUnits(db.scan, index, { afterUnit, limit: unitsAtOnce });
      all.push(...units);
      const last = units.at(-1);
      if (last === undefined) return all;
      afterUnit = last.unit;
    }
  }

  return {
    async *verify() {
      for (const document of await listDocumentsWithoutBlob(db.scan, mostOfAKind))
        yield { kind: 'unknown-document-content', document };
      let indexesToBeMade = 0;
      for (const { id, name } of await listKnowledgeBaseNames(db.scan))
        for (const index of await listIndexes(db.read, id)) {
          if (index.dimensions === null) continue;
          if (await areToBeMade()) indexesToBeMade += 1;
          yield* verifyIndex(index, {
            knowledgeBaseId: id,
            knowledgeBaseName: name,
            index: index.unitColumn === 'unit' ? 'CURRENT' : 'NEXT',
          });
        }
      return { indexesToBeMade };
    },
    listHolders: (blobIds) => listBlobDocuments(db.scan, blobIds),
    listReferences: (page) => listDocumentReferences(db.scan, page),
  };
}

function inBoth(one: readonly RagFinding[], other: readonly RagFinding[]): RagFinding[] {
  const known = new Set(other.map((finding) => JSON.stringify(finding)));
  return one.filter((finding) => known.has(JSON.stringify(finding)));
}
