/** A run can not continue; the message is for the person who started it. */
export class RunFailure extends Error {
  override readonly name: string = 'RunFailure';
}

/** A run ends before its work does, as if a person had stopped it: the message says why, and it can be resumed. */
export class RunStopped extends RunFailure {
  override readonly name: string = 'RunStopped';
}
