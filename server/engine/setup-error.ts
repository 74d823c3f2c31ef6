import { RunFailure } from '../runs/run-failure.ts';

/** A shard that can't be worked on as the run is set up; says what to change. */
export class SetupError extends RunFailure {
  override readonly name = 'SetupError';
}
