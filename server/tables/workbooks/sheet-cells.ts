/**
 * A cell's content: a text, a number, a truth value, a date as ISO 8601, an error, or a formula without a stored value.
 */
export type CellValue = string | number | boolean | { date: string } | { error: string } | { formula: true };

/** A filled cell; its column counts from 0. */
export type SheetCell = { column: number; value: CellValue };

/** Receives the contents of a sheet, in order; rows count from 1. */
export type SheetSink = {
  row(number: number, cells: readonly SheetCell[]): void;
  mergedRange(): void;
};

/** Excel's limits, which apply to every sheet. */
export const maxRows = 1 << 20;
export const maxColumns = 1 << 14;
