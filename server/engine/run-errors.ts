import { AppError } from '../kernel/errors.ts';
import { isStorageFull } from '../storage/database/sql.ts';
import { SetupError } from './setup-error.ts';

/** A run can't go on; the message is for the person who started it. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
}

/** The run was stopped, ended or taken over by another process: whoever still works on it lets it be. */
export class RunLetGo extends Error {
  override readonly name = 'RunLetGo';
}

/** What a run says of an error that ended it: nothing of the inside of the service. */
export function failureMessage(error: unknown): string {
  if (error instanceof RunFailure || error instanceof SetupError || error instanceof AppError) return error.message;
  if (isStorageFull(error)) return 'The storage is full; free some space and resume the run';
  return "The service failed while it worked on this run; its log has the cause under the run's id";
}
