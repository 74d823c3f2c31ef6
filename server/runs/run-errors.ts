import { AppError } from '../kernel/errors.ts';
import { isStorageFull } from '../storage/database/sql.ts';
import { reasonOf } from '../kernel/reasoned-error.ts';
import { RunFailure } from '../kernel/run-failure.ts';
import { type Reason, runSentences } from '../kernel/sentences/index.ts';

/** The run was stopped, has ended or belongs to another process: abandon it and write nothing more. */
export class RunLetGo extends Error {
  override readonly name = 'RunLetGo';
}

/** Whether a user can fix the cause in the task or its input, so that it is not a fault of the service. */
export function isForPerson(error: unknown): error is Error {
  return error instanceof RunFailure || (error instanceof AppError && error.kind !== 'internal');
}

/** Why a run failed, without internals of the service. */
export function failureReason(error: unknown): Reason {
  const isFull = isStorageFull(error) || (error instanceof AppError && error.kind === 'out-of-storage');
  if (isFull) return runSentences.RUN_STORAGE_FULL.reason({});
  if (error instanceof RunFailure || error instanceof AppError) return reasonOf(error);
  return runSentences.RUN_BROKE.reason({});
}
