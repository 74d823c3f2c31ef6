export type ListedSheet = { name: string; isHidden: boolean };

/** The bytes of a workbook on this machine. */
export type WorkbookSource = { path: string; offset: number; sizeBytes: number; fileType: string };

/** Some cells of a sheet: how many, and the first one, such as `B7`. */
export type SomeCells = { count: number; first: string | null };

/** What of a sheet is in its table, and what is not. */
export type SheetReceipt = {
  /** Row of the sheet, from 1, with the names of the columns; null if none looks like one: columns are named by their letters. */
  headerRow: number | null;
  /** Filled rows above the header, such as a title: they are no rows of the table. */
  rowsAbove: { row: number; text: string }[];
  rows: number;
  /** Rows without a value between others. */
  emptyRows: number;
  /** Ranges of merged cells: their value stands in the first cell. */
  mergedRanges: number;
  /** Cells with an error such as `#DIV/0!`, which are empty in the table, by error. */
  errorCells: ({ error: string } & SomeCells)[];
  /** Formulas that have no stored value, which are empty in the table. */
  formulasWithoutValue: SomeCells;
};

export type ListSheetsRequest = { kind: 'sheets'; workbook: WorkbookSource };
/** Writes a sheet as JSON Lines to `path`: each of its rows is the line of the same number. */
export type SheetRequest = { kind: 'sheet'; workbook: WorkbookSource; sheet: string; path: string };
