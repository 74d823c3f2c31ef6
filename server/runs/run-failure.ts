/** A run can not continue; the message is for the person who started it. */
export class RunFailure extends Error {
  override readonly name: string = 'RunFailure';
}
