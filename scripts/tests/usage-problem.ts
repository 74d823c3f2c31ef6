/** An invalid request on the command line; the message is for people. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem';
}
