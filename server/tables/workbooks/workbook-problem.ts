import { ReasonedError } from '../../kernel/reasoned-error.ts';
/** A workbook or a sheet can't be read; the message says why. */
export class WorkbookProblem extends ReasonedError {
  override readonly name = 'WorkbookProblem';
}
