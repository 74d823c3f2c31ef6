import { ReasonedError } from '../../kernel/reasoned-error.ts';

/** The elements of a part are nested deeper than those of any real document. */
export class PackageProblem extends ReasonedError {
  override readonly name = 'PackageProblem';
}
