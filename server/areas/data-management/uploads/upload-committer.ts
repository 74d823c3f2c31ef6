import type { Clock } from '../../../kernel/clock.ts';
import { createGroupCommit, type GroupCommit } from '../../../kernel/group-commit.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { FileCommits } from '../files/file-commits.ts';
import type { CompletedFile, ReadyFile, WaitingFile } from './ready-file.ts';
import { createUploadGroups, type GroupOutcome, type GroupFigures } from './upload-groups.ts';

/**
 * Adds complete files to their dataset, many at a time. `commit` resolves when the file survives power loss; when it rejects,
 * nothing of the file is kept except its assembly. It rejects with TakenNumberError if another node was faster.
 */
export type UploadCommitter = GroupCommit<ReadyFile, CompletedFile>;

/** Limits the size of one transaction. */
const maxGroupFiles = 2_000;

/** A group of files costs one fsync of bytes and one transaction per dataset, whatever its size. */
export function createUploadCommitter({
  db,
  blobs,
  commits,
  clock,
  onArchives,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  clock: Clock;
  /** Called when archives were committed and wait to be unpacked. */
  onArchives(): void;
}): UploadCommitter {
  const groups = createUploadGroups({ blobs, commits, clock });

  async function commitFiles(group: readonly WaitingFile[]): Promise<void> {
    // The bytes become durable while the statements run; the caller that adopts them must wait.
    const flushed = blobs.flush();
    flushed.catch(() => {});
    const byDataset = Map.groupBy(group, ({ item }) => item.session.upload.dataset_id);
    await Promise.all([...byDataset.values()].map((files) => commitGroup(files, flushed)));
  }

  /** Commits the files of one dataset in one transaction; a file in conflict with another fails alone. */
  async function commitGroup(group: readonly WaitingFile[], flushed: Promise<void>): Promise<void> {
    const { rows, failures, figures } = await db
      .write((tx) => groups.add(tx, group, flushed))
      .catch((error: unknown) => allFailed(group, error as Error));
    const durable = await flushed.then(
      () => true,
      () => false,
    );
    // A file in conflict may be retried if it is an assembly; bytes that were not made durable are lost.
    const settled = settle(
      group
        .filter((waiter) => !durable || !failures.has(waiter) || waiter.item.assemblyId === null)
        .map((waiter) => waiter.item),
    );
    let archives = false;
    for (const waiter of group) {
      const failure = failures.get(waiter);
      const file = rows.get(waiter);
      if (failure === undefined && file !== undefined) {
        archives ||= waiter.item.archive !== undefined;
        countFile(waiter.item.session, figures);
        waiter.resolve({ file, staged: waiter.item.staged });
      } else {
        waiter.reject(failure ?? new Error('The commit gave no outcome for this file'));
      }
    }
    if (archives) onArchives();
    await settled;
  }

  /** Erases unused bytes; if that fails, the store's sweep erases them. */
  async function settle(files: readonly ReadyFile[]): Promise<void> {
    await blobs.settle(files.map((file) => file.staged)).catch(() => {});
  }

  return createGroupCommit(commitFiles, { maxItems: maxGroupFiles });
}

function allFailed(group: readonly WaitingFile[], error: Error): GroupOutcome {
  return { rows: new Map(), failures: new Map(group.map((waiter) => [waiter, error])), figures: new Map() };
}

/** Counts a file in the session that it belongs to. */
function countFile(session: ReadyFile['session'], figures: ReadonlyMap<string, GroupFigures>): void {
  const known = figures.get(session.upload.id);
  if (known === undefined) {
    session.completedFiles++;
    return;
  }
  // The figures include files of other nodes.
  session.completedFiles = Math.max(session.completedFiles, known.completed_files);
  session.startedFiles = Math.max(session.startedFiles, session.completedFiles);
  session.receivedBytes = Math.max(session.receivedBytes, known.completed_bytes);
}
