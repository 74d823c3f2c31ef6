import { rm, stat, writeFile } from 'node:fs/promises';
import { inputProblems, type Reason, runSentences } from '../../../kernel/sentences/index.ts';
import type { BlobBytes, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { ShardsTable } from '../../../storage/database/tables/engine.ts';
import {
  changedKinds,
  createParquetFiles,
  ParquetUnreadable,
  patternsOf,
  type ColumnType,
  type ParquetFiles,
} from '../../../tables/parquet/index.ts';
import { listShapePaths } from '../../../tables/text-columns.ts';
import { chooseTextField, type TextField } from '../../../tables/text-field.ts';
import { bytesOf, checksOf } from './column-checks.ts';
import { readOf, shapesOf, stringColumns, unreadable, type ColumnsWanted } from './column-choice.ts';
import { createColumnInspection, damaged, isMissingFile } from './column-inspection.ts';
import { writeTexts, writtenOf } from './column-texts.ts';
import { createWholeFiles, linesOf } from './whole-files.ts';
import type { InputFile } from '../job.ts';
import type { ColumnCuts, Unreadable } from './plan.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { ChosenColumns, ColumnPart, HeldPath, Piece, PlacedPiece } from '../../orders/shard.ts';
import { stageFile } from './staged-file.ts';
import { describeDamage } from '../../orders/stored-bytes.ts';
import type { FileHead } from '../../../encodings/encoding-detection.ts';

/**
 * Tables whose rows are not byte ranges (Parquet): their texts are extracted for the workers part by part, and the file
 * is rewritten once all parts are done. The result depends only on the file and its new texts.
 */
export type ColumnFiles = {
  /** Where to cut a file, or why it can not be read or has no detectable text column. */
  cut(file: InputFile, options: CutOptions): Promise<ColumnCuts>;
  /** The rows of some of the equal parts that a file can be divided into; reads only the metadata that locates them. */
  pick(file: InputFile, options: PickOptions): Promise<PickedParts | Unreadable>;
  /** The first rows as JSON Lines: whole rows, about `maxBytes` of them, and whether these are all. */
  readRows(file: InputFile, maxBytes: number, signal: AbortSignal): Promise<FileHead | Unreadable>;
  /** The text column; undefined if the file can not be read. */
  findTextField(file: InputFile, signal: AbortSignal): Promise<TextField | undefined>;
  /**
   * Its text columns with the paths to nested texts, and the column that is detected; undefined if the file can't be
   * read.
   */
  listTextColumns(file: InputFile, signal: AbortSignal): Promise<{ paths: string[]; guess: TextField } | undefined>;
  /** The first of some columns that can't be cleaned, and why; undefined when all can, or the file can't be read. */
  findMissingField(file: InputFile, fields: readonly string[], signal: AbortSignal): Promise<MissingColumn | undefined>;
  /** Extracts the texts of the pieces that are such tables; `paths` hold the extracted files. */
  extract(pieces: readonly PlacedPiece[], paths: HeldPath[], signal: AbortSignal): Promise<PlacedPiece[]>;
  /** Rewrites a file with the new texts of its parts. */
  rewrite(piece: Piece, shards: readonly ShardsTable[], signal: AbortSignal): Promise<RewrittenTable>;
  /** Writes JSON Lines as a Parquet file. */
  write: ParquetFiles['write'];
  close(): void;
};

/** A rewritten file, the column types that could not be kept, and its added columns. */
export type RewrittenTable = { staged: StagedBlob; losses: readonly string[]; added: readonly ColumnType[] };

type MissingColumn = { field: string; problem: Reason };

export type CutOptions = ColumnsWanted & {
  /** Bytes of text in a part. */
  stepBytes: number;
  /** Reads only this many rows from the beginning. */
  firstRows?: number;
  /** Whether to read the whole file for its checksum; default: true. */
  isChecked?: boolean;
  signal: AbortSignal;
};

export type PickOptions = Omit<ColumnsWanted, 'output'> &
  Pick<CutOptions, 'isChecked' | 'signal'> & {
    /** Numbers of the parts, from 0. */
    parts: readonly number[];
    of: number;
  };

/** `rows`: of the whole file. */
export type PickedParts = {
  column: ChosenColumns;
  rows: number;
  parts: readonly Omit<ColumnPart, keyof ChosenColumns>[];
};

/**
 * Parts hold more text than shards, because finding a part's first row means reading all rows before it in its row
 * group.
 */
const partsPerStep = 4;
const maxRowsOfPart = 200_000;
/** Maximum number of rows shown to users. */
const maxRowsShown = 20_000;

export function createColumnFiles({
  blobs,
  scratchDirectory,
}: {
  blobs: BlobBytes;
  scratchDirectory: string;
}): ColumnFiles {
  const parquet = createParquetFiles({ scratchDirectory });
  const { scratchPath, withFile } = createWholeFiles(scratchDirectory);
  const { look, factsOf } = createColumnInspection({ blobs, parquet, withFile });

  function cut(file: InputFile, { stepBytes, firstRows, ...options }: CutOptions): Promise<ColumnCuts> {
    return look(file, { ...options, decodesAll: firstRows === undefined }, ({ facts, column, checks }) => {
      const rows = Math.min(facts.rows, firstRows ?? facts.rows);
      const bytesOfRow = bytesOf(facts, readOf(column)) / Math.max(1, facts.rows);
      const step = Math.floor((partsPerStep * stepBytes) / Math.max(1, bytesOfRow));
      const parts = partsOf(rows, Math.min(maxRowsOfPart, Math.max(1, step)));
      const found = parts.map((part) => ({ ...part, ...checksOf(part, facts, readOf(column), checks) }));
      if (options.output === undefined) return { column, parts: found };
      const lostTypes = changedKinds(facts.columns, options.output === 'PARQUET' ? 'PARQUET' : 'JSONL');
      return { column, parts: found, rows: facts.rows, lostTypes };
    });
  }

  function pick(file: InputFile, { parts, of, ...options }: PickOptions): Promise<PickedParts | Unreadable> {
    return look(file, { ...options, decodesAll: false }, ({ facts, column, checks }) => ({
      column,
      rows: facts.rows,
      parts: parts.map((number) => {
        const part = partOf(facts.rows, number, of);
        return { ...part, ...checksOf(part, facts, readOf(column), checks) };
      }),
    }));
  }

  async function readRows(file: InputFile, maxBytes: number, signal: AbortSignal): Promise<FileHead | Unreadable> {
    if (file.blobId === null) return { problem: inputProblems.NO_CONTENT.reason({}), isDamaged: false };
    const place = await blobs.localPath(file.blobId);
    const outputPath = await scratchPath('rows.jsonl');
    try {
      return await withFile(place, async (path) => {
        const facts = await parquet.inspect({ path }, { decodesAll: false, signal });
        const columns = facts.columns.map(({ name }) => name);
        const bytesOfRow = bytesOf(facts, columns) / Math.max(1, facts.rows);
        const rows = Math.min(facts.rows, maxRowsShown, Math.max(1, Math.floor(maxBytes / Math.max(1, bytesOfRow))));
        if (rows === 0) return { bytes: new Uint8Array(), isWholeFile: true };
        await parquet.extract({ source: { path }, columns, from: 0, to: rows, outputPath }, signal);
        const { bytes, isWholeFile } = await linesOf(outputPath, maxBytes);
        return { bytes, isWholeFile: isWholeFile && rows === facts.rows };
      });
    } catch (error) {
      if (error instanceof ParquetUnreadable) return unreadable(file.path, error.reason);
      if (isMissingFile(error)) return damaged(file);
      throw error;
    } finally {
      await place.release();
      await rm(outputPath, { force: true });
    }
  }

  async function findTextField(file: InputFile, signal: AbortSignal): Promise<TextField | undefined> {
    const facts = await factsOf(file, signal);
    return facts === undefined ? undefined : chooseTextField(stringColumns(facts));
  }

  async function listTextColumns(file: InputFile, signal: AbortSignal): ReturnType<ColumnFiles['listTextColumns']> {
    const facts = await factsOf(file, signal);
    if (facts === undefined) return undefined;
    const guess = chooseTextField(stringColumns(facts));
    return { paths: listShapePaths(facts.columns), guess };
  }

  async function findMissingField(
    file: InputFile,
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<MissingColumn | undefined> {
    const facts = await factsOf(file, signal);
    if (facts === undefined) return undefined;
    const patterns = patternsOf(shapesOf(facts.columns), fields);
    return 'problem' in patterns ? patterns : undefined;
  }

  async function extractPiece(piece: PlacedPiece, paths: HeldPath[], signal: AbortSignal): Promise<PlacedPiece> {
    const { place, column, sizeBytes } = piece;
    if (place === null || column === undefined) return piece;
    const outputPath = await scratchPath('texts.jsonl');
    const release = (): Promise<void> => rm(outputPath, { force: true });
    paths.push({ release });
    const { name, rows: values, from, to, checks = [] } = column;
    const columns = values === undefined ? name : values.columns;
    try {
      const rows = await withFile({ ...place, sizeBytes }, async (path) => {
        if (checks.length > 0 && !(await parquet.verify({ path }, checks, signal))) throw damageIn(piece);
        return parquet.extract({ source: { path }, columns, from, to, outputPath }, signal);
      });
      if (rows !== to - from) throw new ParquetUnreadable(inputProblems.PARQUET_ROWS.reason({ from, to, rows }));
    } catch (error) {
      // The whole file was read when the run was planned.
      if (error instanceof ParquetUnreadable) {
        const about = { path: piece.path, why: error.reason };
        throw new RunFailure(runSentences.FILE_UNREADABLE.reason(about));
      }
      if (isMissingFile(error)) throw damageIn(piece);
      throw error;
    }
    // Without rows, the extraction writes no file.
    if (from === to) await writeFile(outputPath, '');
    const { size } = await stat(outputPath);
    return { ...piece, sizeBytes: size, place: { path: outputPath, offset: 0 } };
  }

  async function rewrite(piece: Piece, shards: readonly ShardsTable[], signal: AbortSignal): Promise<RewrittenTable> {
    if (piece.blobId === null || piece.column === undefined) throw new Error(`${piece.path} is no table with columns`);
    const textsPath = await scratchPath('new-texts.jsonl');
    const outputPath = await scratchPath('new.parquet');
    const place = await blobs.localPath(piece.blobId);
    try {
      const longestLineBytes = await writeTexts(blobs, shards, textsPath, signal);
      const { name, rows: values } = piece.column;
      const written = writtenOf(shards, values?.types ?? {}, piece.path);
      const texts =
        values === undefined ? { column: name } : { patterns: values.patterns, ...(written.length > 0 && { written }) };
      const whole = [{ from: 0, to: place.sizeBytes, crc32: place.crc32 }];
      const { rows, losses } = await withFile(place, async (path) => {
        if (!(await parquet.verify({ path }, whole, signal))) throw damageIn(piece);
        return parquet.rewrite({ source: { path }, ...texts, textsPath, longestLineBytes, outputPath }, signal);
      });
      const emitted = shards.reduce((sum, { count_emitted }) => sum + (count_emitted ?? 0), 0);
      if (rows !== emitted)
        throw new RunFailure(runSentences.ROWS_DIFFER.reason({ path: piece.path, rows, expected: emitted }));
      const added = written.filter((column) => !Object.hasOwn(values?.types ?? {}, column.name));
      return { staged: await stageFile(blobs, outputPath, signal), losses, added };
    } catch (error) {
      if (error instanceof ParquetUnreadable) {
        const about = { path: piece.path, why: error.reason };
        throw new RunFailure(runSentences.FILE_UNWRITABLE.reason(about));
      }
      if (isMissingFile(error)) throw damageIn(piece);
      throw error;
    } finally {
      await place.release();
      await rm(textsPath, { force: true });
      await rm(outputPath, { force: true });
      await rm(`${outputPath}.empty`, { force: true });
    }
  }

  return {
    cut,
    pick,
    readRows,
    findTextField,
    listTextColumns,
    findMissingField,
    extract: async (pieces, paths, signal) => {
      const extracted: PlacedPiece[] = [];
      for (const piece of pieces) extracted.push(await extractPiece(piece, paths, signal));
      return extracted;
    },
    rewrite,
    write: parquet.write,
    close: () => {
      parquet.close();
    },
  };
}

/** One of the equal parts of all rows. */
function partOf(rows: number, part: number, of: number): { from: number; to: number } {
  return { from: Math.floor((rows * part) / of), to: Math.floor((rows * (part + 1)) / of) };
}

/** At least two: only a join of parts rewrites the file. */
function partsOf(rows: number, step: number): { from: number; to: number }[] {
  const count = Math.max(2, Math.ceil(rows / step));
  return Array.from({ length: count }, (_, part) => partOf(rows, part, count));
}

/** Every part was intact when the run was planned, which checkpoints rely on. */
function damageIn({ path, sizeBytes }: Piece): RunFailure {
  return new RunFailure(describeDamage(path, { from: 0, to: sizeBytes }));
}
