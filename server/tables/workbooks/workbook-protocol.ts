export type ListedSheet = { name: string; isHidden: boolean };

/** Where a workbook's bytes are on this machine. */
export type WorkbookSource = { path: string; offset: number; sizeBytes: number; fileType: string };

/** Number of affected cells, and the first one, such as `B7`. */
export type SomeCells = { count: number; first: string | null };

/** What the table of a sheet contains, and what it leaves out. */
export type SheetReceipt = {
  /**
   * Sheet row with the column names, from 1; null if no row looks like a header: then columns are named by their
   * letters.
   */
  headerRow: number | null;
  /** Filled rows above the header, such as a title, which are not in the table. */
  rowsAbove: { row: number; text: string }[];
  rows: number;
  /** Empty rows between filled ones. */
  emptyRows: number;
  /** Merged ranges: their value is in the first cell. */
  mergedRanges: number;
  /** Cells with an error such as `#DIV/0!`, grouped by error; they are empty in the table. */
  errorCells: ({ error: string } & SomeCells)[];
  /** Formulas without a stored value, which are empty in the table. */
  formulasWithoutValue: SomeCells;
};

export type ListSheetsRequest = { kind: 'sheets'; workbook: WorkbookSource };
/** Writes a sheet as JSON Lines to `path`: each row becomes the line of the same number. */
export type SheetRequest = { kind: 'sheet'; workbook: WorkbookSource; sheet: string; path: string };
