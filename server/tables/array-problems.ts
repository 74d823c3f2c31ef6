import { foreign, inputProblems, type Reason } from '../kernel/sentences/index.ts';

/** What the scanner of arrays finds; layouts in plans store the texts, which have no values. */
const problems = [
  inputProblems.ARRAY_NOT_CLOSED,
  inputProblems.ARRAY_NO_COMMA,
  inputProblems.ARRAY_NO_ELEMENT,
  inputProblems.ARRAY_FOLLOWED,
].map((problem) => problem.reason({}));

/** The reason of a problem of the scanner. */
export function arrayProblem(text: string): Reason {
  return problems.find((problem) => problem.text === text) ?? foreign(text);
}
