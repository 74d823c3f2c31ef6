import { fieldsOf } from '../../orders/row-texts.ts';
import { storedProblem, type ColumnPart } from '../../orders/shard.ts';
import type { DrawnRow } from '../../orders/draw-jobs.ts';
import type { BlockDraw } from './input-draw.ts';
import { createLowest } from '../../orders/lowest.ts';
import { placeKey, priorityOf } from '../../orders/seeded-order.ts';
import { type DrawDeps, type Stratum, type StratumOptions, filesOf, inOrder } from './stratum.ts';

/** Each Parquet file stores its number of rows, so rows are drawn without reading them. */
export async function drawColumns(
  { columns }: DrawDeps,
  draw: BlockDraw,
  { recipe, size, seed, signal, isChecked, isWholeRow }: StratumOptions,
): Promise<Stratum> {
  const isWhole = draw.drawn.length === draw.blocks;
  const lowest = createLowest<DrawnRow>(size);
  const pieces: Stratum['pieces'][number][] = [];
  let from = 0;
  for (const { fileNo, file } of filesOf(draw.drawn)) {
    const blocks = inOrder(draw.drawn.flatMap(({ item }) => (item.fileNo === fileNo ? [item] : [])));
    const fields = fieldsOf(recipe, file.path);
    const where = (recipe.where ?? []).map(({ field }) => field);
    const wanted = { parts: blocks.map(({ block }) => block), of: blocks[0]?.of ?? 1, fields, where, isWholeRow };
    const found = await columns.pick(file, { ...wanted, isChecked: isChecked(file, isWhole), signal });
    const key = placeKey(seed, file.path);
    if ('problem' in found) {
      if (blocks[0]?.block !== 0) continue;
      const blob = found.isDamaged ? { blobId: null } : {};
      pieces.push({ fileNo, file, piece: { ...file, ...blob, ...storedProblem(found.problem) } });
      lowest.add(priorityOf(key, 0, 0), { piece: pieces.length - 1, row: 0 });
      from += 1;
      continue;
    }
    for (const part of found.parts) {
      const column: ColumnPart = { ...found.column, ...part };
      const numbers = { firstRow: part.from, firstLine: null };
      pieces.push({ fileNo, file, piece: { ...file, column }, numbers });
      for (let row = part.from; row < part.to; row += 1) {
        const priority = priorityOf(key, row, 0);
        if (priority < lowest.bound) lowest.add(priority, { piece: pieces.length - 1, row: row - part.from });
      }
      from += part.to - part.from;
    }
  }
  const total = isWhole ? from : Math.round((from * draw.blocks) / draw.drawn.length);
  return { total, from, isExact: isWhole, pieces, rows: lowest.take() };
}
