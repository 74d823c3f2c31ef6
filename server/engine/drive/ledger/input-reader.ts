import { offsetOf, type PageRequest } from '../../../kernel/page.ts';
import { type Reason, reasonWith } from '../../../kernel/sentences/index.ts';
import type { Compression } from '../../../tables/compression/compressed-names.ts';
import type { Run } from '../../../runs/index.ts';
import type { Db } from '../../../storage/database/database.ts';
import type { ShardsTable } from '../../../storage/database/tables/engine.ts';
import { listShardFiles, listShardsBetween } from '../queries/shards.ts';
import type { InputFacts, Piece } from '../../orders/shard.ts';
import type { StoredFigures } from '../shards/shard-outcome.ts';

/** How one file of a run was read. A field is null where it is unknown or the format has no such property. */
export type RunInput = {
  filePath: string;
  /** Its dataset, in a run that reads several. */
  sourceDatasetId: string | null;
  format: string | null;
  /** How the file is compressed. */
  compression: Exclude<Compression, 'arrow'> | null;
  encoding: string | null;
  /**
   * Whether the encoding is a guess, not determined by a byte order mark, a full check of the bytes or a setting of the
   * task.
   */
  guessed: boolean;
  certainty: Exclude<InputFacts['certainty'], undefined> | null;
  fields: string[] | null;
  samples: number;
  /** Why the file was skipped; null for one that was read. */
  skipped: Reason | null;
};

/** One page of the files that a run has read so far, in their order. */
export async function readInputs(
  db: Db,
  run: Run,
  { page, size }: PageRequest,
): Promise<{ inputs: RunInput[]; total: number }> {
  const first = offsetOf({ page, size });
  let total = 0;
  let before = 0;
  const wanted: number[] = [];
  for (const { shard_no, files } of await listShardFiles(db, run.id)) {
    const isOnPage = total + files > first && total < first + size;
    if (files > 0 && isOnPage) {
      if (wanted.length === 0) before = total;
      wanted.push(shard_no);
    }
    total += files;
  }
  const [from] = wanted;
  const to = wanted.at(-1);
  if (from === undefined || to === undefined) return { inputs: [], total };
  const [last] = await listShardsBetween(db, run.id, to, to);
  const shards = await listShardsBetween(db, run.id, from, to + (last?.file_parts ?? 1) - 1);
  const inputs: RunInput[] = [];
  for (const shard of shards) addInputs(inputs, shard);
  return { inputs: inputs.slice(first - before, first - before + size), total };
}

function addInputs(inputs: RunInput[], { pieces, figures, file_part: part }: ShardsTable): void {
  const { rows = [], passed = [], inputs: known = [] } = JSON.parse(figures ?? '{}') as Partial<StoredFigures>;
  const samplesOf = (piece: number): number => (rows[piece] ?? 0) - (passed[piece] ?? 0);
  const last = inputs.at(-1);
  if (part > 0) {
    if (last !== undefined) last.samples += samplesOf(0);
    return;
  }
  for (const [index, { path: filePath, packed, source = null }] of (JSON.parse(pieces) as Piece[]).entries()) {
    const {
      format = null,
      encoding = null,
      certainty = null,
      skipped,
      skippedSentence,
      fields: columns,
    } = known[index] ?? {};
    const fields = columns === undefined ? null : [...columns];
    const guessed = certainty === 'LIKELY' || certainty === 'UNSURE';
    const packing = packed?.compression ?? null;
    inputs.push({
      filePath,
      sourceDatasetId: source,
      format: packing === 'arrow' ? packing : format,
      compression: packing === 'arrow' ? null : packing,
      encoding: packing === 'arrow' ? null : encoding,
      guessed,
      certainty,
      fields,
      samples: skipped === undefined ? samplesOf(index) : 0,
      skipped: skipped === undefined ? null : reasonWith(skipped, skippedSentence),
    });
  }
}
