/** What was asked for can't be run; its message is for people. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem';
}
