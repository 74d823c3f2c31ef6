import type { Tx } from '../storage/database/database.ts';
import { taskErrors } from './errors.ts';

type Head = { id: string; status: string; version: number };

type Locks<H extends Head> = { lock(tx: Tx, id: string): Promise<H | undefined> };

/** Returns the source dataset that a lookup found. Throws SOURCE_NOT_FOUND, SOURCE_VERSION_NOT_FOUND. */
export function requireSource<H extends Head>(found: H | undefined, id: string, version?: number | null): H {
  if (found === undefined) throw taskErrors.SOURCE_NOT_FOUND({ id });
  if (version !== undefined && version !== null && version > found.version)
    throw taskErrors.SOURCE_VERSION_NOT_FOUND({ id, version });
  return found;
}

function requireTarget<H extends Head>(found: H | undefined, id: string): H {
  if (found === undefined) throw taskErrors.TARGET_NOT_FOUND({ id });
  if (found.status === 'ARCHIVED') throw taskErrors.TARGET_ARCHIVED({ id });
  return found;
}

/** Locks an existing dataset as the target. Throws TARGET_NOT_FOUND, TARGET_ARCHIVED. */
export async function lockTarget<H extends Head>(tx: Tx, datasets: Locks<H>, id: string): Promise<H> {
  return requireTarget(await datasets.lock(tx, id), id);
}

/**
 * Locks the target of a task about to be executed; undefined if the run must create it, because it is the first or the
 * task's own dataset was deleted. Throws TARGET_NOT_FOUND, TARGET_ARCHIVED.
 */
export async function lockTargetOfTask<H extends Head>(
  tx: Tx,
  datasets: Locks<H>,
  { targetDatasetId: id, ownsTarget }: { targetDatasetId: string | null; ownsTarget: boolean },
): Promise<H | undefined> {
  if (id === null) return undefined;
  const found = await datasets.lock(tx, id);
  return found === undefined && ownsTarget ? undefined : requireTarget(found, id);
}
