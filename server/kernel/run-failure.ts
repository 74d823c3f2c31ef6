import { ReasonedError } from './reasoned-error.ts';

/** A run cannot continue; the message is for the person who started it. */
export class RunFailure extends ReasonedError {
  override readonly name: string = 'RunFailure';
}

/** A run stops before its work is done, as if a person had stopped it: the message says why, and the run can be resumed. */
export class RunStopped extends RunFailure {
  override readonly name: string = 'RunStopped';
}
