import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { detectFormat } from '../../documents/format-detection.ts';
import { openPackage, type OfficePackage } from '../../documents/package/office-package.ts';
import { PackageProblem } from '../../documents/package/package-problem.ts';
import { maxDepth } from '../../documents/package/xml-events.ts';
import { DocumentFailure, documentLimits } from '../../documents/receipt.ts';
import { listSheets as listExcelSheets } from '../../documents/workbook/workbook-parts.ts';
import { documentProblems, inputProblems, sheetProblems } from '../../kernel/sentences/index.ts';
import { findFullDisk } from '../full-disk.ts';
import { openLines } from '../index-lines.ts';
import { readExcelSheet } from './excel-sheet.ts';
import { listOpenDocumentSheets, readOpenDocumentSheet } from './open-document-sheet.ts';
import { createSheetTable } from './sheet-table.ts';
import type { SheetSink } from './sheet-cells.ts';
import { WorkbookProblem } from './workbook-problem.ts';
import type { SheetReceipt, SheetRequest, ListedSheet, WorkbookSource } from './workbook-protocol.ts';

/** Size limit of a sheet as JSON Lines: a text stored once in the workbook may appear in every cell. */
const maxSheetCharacters = 2 ** 31;

type ReadSheet = ListedSheet & { read(sink: SheetSink): Promise<void> };

/** The sheets of a workbook in order; throws WorkbookProblem. */
export async function listSheets(workbook: WorkbookSource): Promise<ListedSheet[]> {
  const sheets = await openSheets(workbook);
  return sheets.map(({ name, isHidden }) => ({ name, isHidden }));
}

/** Writes a sheet as JSON Lines and returns what they leave out; throws WorkbookProblem. */
export async function writeSheet({ workbook, sheet: name, path }: Omit<SheetRequest, 'kind'>): Promise<SheetReceipt> {
  const sheet = (await openSheets(workbook)).find((one) => one.name === name);
  if (sheet === undefined) throw new WorkbookProblem(sheetProblems.NO_SUCH_SHEET.reason({ sheet: name }));
  const lines = openLines(path);
  try {
    const table = createSheetTable(lines, maxSheetCharacters);
    await inWords(() => sheet.read(table));
    return table.end();
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    lines.close();
  }
}

async function openSheets(workbook: WorkbookSource): Promise<ReadSheet[]> {
  const sheets = await inWords(async () => {
    const bytes = readBytes(workbook);
    const { format } = await detectFormat(bytes, workbook.fileType, documentLimits);
    if (format !== 'xlsx' && format !== 'ods') throw new WorkbookProblem(sheetProblems.NO_WORKBOOK.reason({}));
    const found = await openPackage(bytes);
    return format === 'xlsx' ? excelSheets(found) : openDocumentSheets(found);
  });
  if (sheets.length === 0) throw new WorkbookProblem(sheetProblems.NO_SHEETS.reason({}));
  return sheets;
}

async function excelSheets(found: OfficePackage): Promise<ReadSheet[]> {
  const { sheets } = await listExcelSheets(found);
  // Sheets of charts, dialogs and macros have no table.
  return sheets.flatMap(({ name, isHidden, part, kind }) =>
    kind === 'worksheet' && found.has(part)
      ? [{ name, isHidden, read: (sink: SheetSink) => readExcelSheet(found, part, sink) }]
      : [],
  );
}

async function openDocumentSheets(found: OfficePackage): Promise<ReadSheet[]> {
  const sheets = await listOpenDocumentSheets(found);
  return sheets.map((sheet, place) => ({ ...sheet, read: (sink) => readOpenDocumentSheet(found, place, sink) }));
}

function readBytes({ path, offset, sizeBytes }: WorkbookSource): Uint8Array {
  const { maxFileBytes } = documentLimits;
  if (sizeBytes > maxFileBytes)
    throw new WorkbookProblem(inputProblems.FILE_TOO_LONG.reason({ bytes: sizeBytes, limit: maxFileBytes }));
  const bytes = Buffer.alloc(sizeBytes);
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < sizeBytes;) {
      const count = readSync(file, bytes, at, sizeBytes - at, offset + at);
      if (count === 0) throw new Error('The workbook is shorter than it was');
      at += count;
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}

/** Turns errors of the document or its ZIP into a WorkbookProblem. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WorkbookProblem) throw error;
    if (error instanceof PackageProblem)
      throw new WorkbookProblem(sheetProblems.SHEET_NESTED_TOO_DEEPLY.reason({ limit: maxDepth }), { cause: error });
    if (error instanceof DocumentFailure) throw new WorkbookProblem(error.reason, { cause: error });
    const why = error instanceof Error ? error.message : String(error);
    // A full disk does not mean that the workbook is damaged.
    if (findFullDisk(why) !== undefined) throw error;
    throw new WorkbookProblem(documentProblems.CUT_OR_DAMAGED.reason({ why }), { cause: error });
  }
}
