import { runSentences } from '../../kernel/sentences/index.ts';
import { RunFailure, type RunKind } from '../../runs/index.ts';
import type { Job } from './job.ts';
import { recipeRunOf, type RecipeRun } from './recipe-run.ts';
import { StoredBytesDamaged } from '../orders/stored-bytes.ts';

type Purging = Pick<Job, 'purged'>;

const namedAtMost = 5;

/**
 * Throws RunFailure if input was purged since the run began: its plan lacks those files, and nothing else would report
 * it.
 */
export async function requireInput(job: Purging, run: RecipeRun): Promise<void> {
  const failure = await findPurged(job.purged?.(run) ?? []);
  if (failure !== undefined) throw failure;
}

/** Wraps a driver: if a run fails because bytes or files were purged, its error names them. */
export function namingPurged(job: Purging, drive: RunKind['drive']): RunKind['drive'] {
  return async (run, context) => {
    try {
      await drive(run, context);
    } catch (error) {
      if (context.signal.aborted || !isLoss(error)) throw error;
      throw (await findPurged(job.purged?.(recipeRunOf(run)) ?? [], error)) ?? error;
    }
  };
}

/** The failure of a run whose input was purged, listing these paths; undefined if there are none. */
export async function findPurged(
  purged: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  cause?: unknown,
): Promise<RunFailure | undefined> {
  const named: string[] = [];
  let files = 0;
  for await (const paths of purged) {
    files += paths.length;
    named.push(...paths.slice(0, namedAtMost - named.length));
  }
  if (files === 0) return undefined;
  const paths = `${named.join(', ')}${files > named.length ? ' …' : ''}`;
  return new RunFailure(runSentences.INPUT_PURGED.reason({ paths }), { cause });
}

const losses = new Set(['DAMAGED_BYTES', 'SAMPLES_DIFFER', 'FORMER_FILES_GONE']);

function isLoss(error: unknown): boolean {
  if (error instanceof StoredBytesDamaged) return true;
  if (error instanceof RunFailure) return losses.has(error.reason.sentence?.code ?? '');
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'BLOB_MISSING' || code === 'BLOB_DAMAGED';
}
