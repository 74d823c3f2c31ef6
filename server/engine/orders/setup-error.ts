import { RunFailure } from '../../kernel/run-failure.ts';

/** A shard can't be processed with the run's configuration; the message says what to change. */
export class SetupError extends RunFailure {
  override readonly name = 'SetupError';
}
