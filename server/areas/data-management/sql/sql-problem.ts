import type { Reason } from '../../../kernel/sentences/index.ts';
import { QueriesBusy, QueryProblem, type QueryPlace } from '../../../tables/queries/index.ts';
import { unavailable, type AppError } from '../../../kernel/errors.ts';
import { dataErrors } from '../errors.ts';

/** The error for what is wrong with a statement, and where. */
export function sqlProblem(problem: Reason, place: QueryPlace | undefined): AppError {
  return place === undefined ? dataErrors.SQL_REFUSED({ problem }) : dataErrors.SQL_INVALID({ ...place, problem });
}

const busySeconds = 10;

/** Calls `work`; converts errors of its statement to errors of the API. */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof QueryProblem) throw sqlProblem(error.reason, error.place);
    if (error instanceof QueriesBusy) throw unavailable(error.reason, busySeconds, error);
    throw error;
  }
}
