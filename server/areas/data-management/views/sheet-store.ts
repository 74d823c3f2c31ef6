import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobPath, BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { SheetReceipt, TableViews, ViewSource, ListedSheet } from '../../../tables/views/index.ts';
import type { TableWorks } from './table-works.ts';
import { readFacts, writeFacts } from './view-facts.ts';

/** The content of a workbook: a blob, and the extension of its file. */
export type WorkbookBlob = { id: string; sizeBytes: number; datasetId?: string; fileType: string };

/** A sheet of a workbook, by its name and its position. */
export type SheetPlace = { fileType: string; name: string; number: number };

/** The sheets of workbooks: listed once and written as JSON Lines once per content, next to the indexes of tables. */
export type SheetStore = {
  list(workbook: WorkbookBlob): Promise<ListedSheet[]>;
  /** The bytes of a sheet as JSON Lines. */
  source(id: string, sheet: SheetPlace, place: BlobPath, signal: AbortSignal): Promise<ViewSource>;
  /** What was read of a sheet into its table; undefined until its source has been written. */
  findReceipt(id: string, sheet: SheetPlace): Promise<SheetReceipt | undefined>;
};

export function createSheetStore({
  directory,
  blobs,
  views,
  works,
}: {
  directory: string;
  blobs: Pick<BlobStore, 'localPath'>;
  views: Pick<TableViews, 'listSheets' | 'writeSheet'>;
  works: Pick<TableWorks, 'run'>;
}): SheetStore {
  const working = new Map<string, Promise<void>>();
  const pathOf = (id: string, { number }: SheetPlace): string => join(directory, `${id}.sheet${number}`);

  /** Calls for the same file share the work. */
  function once(path: string, make: () => Promise<void>): Promise<void> {
    const known = working.get(path);
    if (known !== undefined) return known;
    const work = make().finally(() => working.delete(path));
    working.set(path, work);
    return work;
  }

  async function listNow({ id, fileType }: WorkbookBlob, path: string, signal: AbortSignal): Promise<ListedSheet[]> {
    const place = await blobs.localPath(id);
    try {
      const sheets = await views.listSheets({ workbook: { ...workbookAt(place), fileType } }, signal);
      await mkdir(directory, { recursive: true });
      await writeFacts(path, sheets);
      return sheets;
    } finally {
      await place.release();
    }
  }

  async function writeNow(path: string, sheet: SheetPlace, place: BlobPath, signal: AbortSignal): Promise<void> {
    const isThere = await stat(`${path}.source`).then(
      () => true,
      () => false,
    );
    if (isThere && (await readFacts(`${path}.receipt`)) !== undefined) return;
    await mkdir(directory, { recursive: true });
    const part = `${path}.source.new`;
    const workbook = { ...workbookAt(place), fileType: sheet.fileType };
    const receipt = await views.writeSheet({ workbook, sheet: sheet.name, path: part }, signal);
    await rename(part, `${path}.source`);
    await writeFacts(`${path}.receipt`, receipt);
  }

  return {
    async list(workbook) {
      const path = join(directory, `${workbook.id}.sheets.json`);
      return (
        (await readFacts<ListedSheet[]>(path)) ?? works.run(path, workbook, (signal) => listNow(workbook, path, signal))
      );
    },
    async source(id, sheet, place, signal) {
      const path = pathOf(id, sheet);
      await once(path, () => writeNow(path, sheet, place, signal));
      const { size: sizeBytes } = await stat(`${path}.source`);
      return { path: `${path}.source`, offset: 0, sizeBytes, format: 'jsonl' };
    },
    findReceipt: (id, sheet) => readFacts(`${pathOf(id, sheet)}.receipt`),
  };
}

function workbookAt({ path, offset, sizeBytes }: BlobPath): Pick<ViewSource, 'path' | 'offset' | 'sizeBytes'> {
  return { path, offset, sizeBytes };
}
