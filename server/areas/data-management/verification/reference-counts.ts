import type { Finding, Holdings, HeldReferences } from './findings.ts';
import type { ReadOnlyDatabase } from '../../../storage/database/read-only-database.ts';
import { countFileReferences, listMissingReferences } from '../queries/blob-users.ts';

/** Each page scans all shards and files once. */
const referencesPerPage = 50_000;

type MissingReferences = { blobId: string; stored: number; counted: number };

type Sources = { db: ReadOnlyDatabase; held: Holdings };

/** The references of runs, or of all runs and documents, a page at a time. */
export async function* pagesOfReferences(
  held: Holdings,
  runIds: readonly string[] | undefined,
): AsyncGenerator<HeldReferences> {
  for (let afterId = ''; ;) {
    const page = await held.listReferences({ runIds, afterId, limit: referencesPerPage });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    afterId = last.blobId;
  }
}

/** The held blobs with fewer references than files and other holders. */
async function findMissingReferences(db: ReadOnlyDatabase, references: HeldReferences): Promise<MissingReferences[]> {
  const byBlob = referencesOf(references);
  const counts = await countFileReferences(db.scan, [...byBlob.keys()]);
  return counts
    .map(({ blobId, stored, files }) => ({ blobId, stored, counted: files + (byBlob.get(blobId) ?? 0) }))
    .filter(({ stored, counted }) => stored < counted);
}

/** Yields the blobs with fewer references than files, runs and documents that hold them. */
export async function* verifyReferences(
  { db, held }: Sources,
  datasetId: string | undefined,
  mostFindings: number,
): AsyncGenerator<Finding> {
  const found = new Set<string>();
  const runIds = datasetId === undefined ? undefined : await held.listRunsOf(datasetId);
  for (let afterId = ''; ;) {
    const page = { runIds, afterId, limit: referencesPerPage };
    let references = await held.listReferences(page);
    const last = references.at(-1);
    if (last === undefined) break;
    let missing = await findMissingReferences(db, references);
    // A running service may have released a blob between the two reads: the holdings must be the same before and after.
    for (let before = references; missing.length > 0; before = references) {
      references = await held.listReferences(page);
      const [was, is] = [referencesOf(before), referencesOf(references)];
      if (missing.every(({ blobId }) => was.get(blobId) === is.get(blobId))) break;
      missing = await findMissingReferences(db, references);
    }
    for (const one of missing.slice(0, mostFindings - found.size)) {
      found.add(one.blobId);
      yield { kind: 'references', ...one };
    }
    afterId = last.blobId;
  }
  for (const missing of await listMissingReferences(db.scan, datasetId, mostFindings))
    if (!found.has(missing.blobId)) yield { kind: 'references', ...missing };
}

function referencesOf(all: HeldReferences): Map<string, number> {
  return new Map(all.map(({ blobId, references }) => [blobId, references]));
}
