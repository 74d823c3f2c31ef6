import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, Index, type Connection, type Table } from '@lancedb/lancedb';
import { createLanceIndex, type LanceIndex } from './lance-index.ts';
import { dimensionsOf, schemaOf } from './lance-rows.ts';
import type { VectorStore } from './vector-store.ts';

/** Vectors and words in LanceDB, in one folder. */
export async function openLanceStore({
  directory,
  logger,
}: {
  directory: string;
  logger: { warn(details: object, message: string): void };
}): Promise<VectorStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const connection: Connection = await connect(directory);
  const open = new Map<string, Promise<LanceIndex>>();

  async function openTable(id: string, dimensions: number): Promise<Table> {
    if ((await connection.tableNames()).includes(id)) {
      try {
        const table = await connection.openTable(id);
        // Reads what a crash may have left in pieces.
        await table.countRows();
        const isWhole = (await table.listIndices()).some(({ columns }) => columns.includes('words'));
        if (isWhole && dimensionsOf(await table.schema()) === dimensions) return table;
      } catch (error) {
        logger.warn({ err: error, index: id }, 'an index of vectors can not be read; it is made again');
      }
      await erase(id);
    }
    const table = await connection.createEmptyTable(id, schemaOf(dimensions));
    await table.createIndex('words', { config: wordIndex() });
    return table;
  }

  /** Also takes what LanceDB itself can not open. */
  async function erase(id: string): Promise<void> {
    await rm(join(directory, `${id}.lance`), { recursive: true, force: true });
  }

  return {
    open(id, dimensions) {
      let opening = open.get(id);
      if (opening === undefined) {
        opening = openTable(id, dimensions).then((table) => createLanceIndex({ table, dimensions, logger }));
        open.set(id, opening);
        opening.catch(() => open.delete(id));
      }
      return opening;
    },
    async drop(id) {
      const opened = await open.get(id)?.catch(() => undefined);
      open.delete(id);
      await opened?.close();
      await erase(id);
    },
    list: () => connection.tableNames(),
    async close() {
      await Promise.all([...open.values()].map(async (opening) => (await opening.catch(() => undefined))?.close()));
      connection.close();
    },
  };
}

/** Words by Unicode's rules and dictionaries, which also find those of Chinese, Japanese and Thai; without case and accents. */
const wordIndex = () =>
  Index.fts({
    // Its types lack this name.
    baseTokenizer: 'icu' as 'simple',
    lowercase: true,
    asciiFolding: true,
    stem: false,
    removeStopWords: false,
    withPosition: false,
  });
