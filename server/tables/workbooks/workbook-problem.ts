/** A workbook or a sheet can't be read; the message says why. */
export class WorkbookProblem extends Error {
  override readonly name = 'WorkbookProblem';
}
