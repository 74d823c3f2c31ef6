import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import { alignRange } from '../../../tables/row-alignment.ts';
import { needsRowScan } from '../../../tables/row-boundaries.ts';
import type { TableLayout } from '../../../tables/table-layout.ts';
import { openSampleWalk } from '../samples/sample-walk.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import type { WorkerResources } from '../samples/shard-work.ts';
import type { OpenPiece } from '../notes.ts';
import { describeDamage, orDamaged } from '../../orders/stored-bytes.ts';
import { layoutOf } from '../samples/table-scan.ts';
import { drawnNumberOf, formatPathOf, type PlacedPiece, problemIn, storedProblem } from '../../orders/shard.ts';
import { createLowest } from '../../orders/lowest.ts';
import { placeKey, priorityOf } from '../../orders/seeded-order.ts';
import type { DrawJob, DrawnRow, ReadPiece, DrawResult } from '../../orders/draw-jobs.ts';

/** Counts the samples of the pieces and draws some uniformly; the seed and the samples' places determine the draw. */
export function drawRows(job: DrawJob, { open, progress }: WorkerResources): DrawResult {
  const { recipe, pieces, limits } = job;
  const lowest = createLowest<DrawnRow>(job.size);
  const layouts = new Map<string, TableLayout | { problem: Reason }>();
  const found: ReadPiece[] = [];
  let key = placeKey(job.seed, '');
  let position = 0;
  const shard = { recipe, pieces, limits, poison: [], verdicts: [] };
  const walk = openSampleWalk(
    shard,
    { open, progress },
    {
      parts: new Set(['text']),
      sample({ piece }, offered) {
        if (offered.isCut === true) offered.read();
        const row = drawnNumberOf(offered);
        const priority = priorityOf(key, position, row);
        if (priority < lowest.bound) lowest.add(priority, { piece, row });
      },
    },
  );
  let before: { piece: PlacedPiece; next: Pick<ReadPiece, 'firstRow' | 'firstLine'> } | undefined;
  for (const [index, given] of pieces.entries()) {
    const damage = describeDamage(given.path, given.range ?? { from: 0, to: given.sizeBytes });
    const piece = orDamaged(damage, () => readPiece(given, job, layouts, open));
    const follows = before?.piece.fileId === given.fileId && before.piece.range?.to === given.range?.from;
    const isFirst = given.range === undefined || given.range.from === 0;
    const first = isFirst ? { firstRow: 0, firstLine: 0 } : undefined;
    const numbers = first ?? (follows ? before?.next : undefined) ?? { firstRow: null, firstLine: null };
    found.push({ ...changesOf(given, piece), ...numbers });
    const counted = walk.counts.rows;
    let lineEnds = 0;
    if (piece !== undefined) {
      key = placeKey(job.seed, piece.path);
      position = piece.range?.from ?? 0;
      ({ lineEnds } = orDamaged(damage, () => walk.piece(piece, index)));
    }
    const { firstRow, firstLine } = numbers;
    const next = {
      firstRow: firstRow === null ? null : firstRow + walk.counts.rows - counted,
      firstLine: firstLine === null ? null : firstLine + lineEnds,
    };
    before = { piece: given, next };
  }
  return { from: walk.counts.samples, rows: lowest.take(), pieces: found };
}

/** The piece with its layout and whole rows; undefined if no row starts in it. */
function readPiece(
  piece: PlacedPiece,
  { recipe, limits }: DrawJob,
  layouts: Map<string, TableLayout | { problem: Reason }>,
  open: OpenPiece,
): PlacedPiece | undefined {
  const { path, sizeBytes, blobId, place, range } = piece;
  const format = formatOf(fileTypeOf(formatPathOf(piece)));
  if (range === undefined || piece.layout !== undefined || place === null || !isRowFormat(format)) return piece;
  const id = blobId ?? '';
  const read = open(place);
  const fields = fieldsOf(recipe, path);
  const layout =
    layouts.get(id) ??
    layoutOf(
      {
        path,
        sizeBytes,
        format,
        field: fields?.[0] ?? null,
        mayLackText: recipe.mayLackText,
        encoding: recipe.encoding ?? null,
      },
      read,
    );
  layouts.set(id, layout);
  // A file that can't be read as a table is one failed sample.
  if ('problem' in layout) return range.from === 0 ? { ...piece, ...storedProblem(layout.problem) } : undefined;
  if (!needsRowScan(layout)) return { ...piece, layout };
  const { encoding, delimited: dialect } = layout;
  const scan = { encoding, dialect, columns: dialect?.columns, sizeBytes, maxRowBytes: limits.maxRowBytes };
  const rows = alignRange(read, scan, range);
  return rows === undefined ? undefined : { ...piece, layout, range: rows };
}

function changesOf(given: PlacedPiece, piece: PlacedPiece | undefined): Partial<ReadPiece> {
  if (piece === undefined || piece === given) return {};
  const { layout, range } = piece;
  const problem = problemIn(piece);
  return {
    ...(layout === undefined ? {} : { layout }),
    ...(range === undefined ? {} : { range }),
    ...(problem === undefined ? {} : storedProblem(problem)),
  };
}
