import { runSentences } from '../../../kernel/sentences/index.ts';
import { SetupError } from '../../orders/setup-error.ts';
import type { Piece } from '../../orders/shard.ts';

/** Decides which rows of a piece are samples. */
export type RowPicks = {
  /** Whether the row at this place is a sample; call in the order of the rows. */
  takes(place: number): boolean;
  /** Throws SetupError unless every expected row was found. */
  finish(): void;
};

/** Undefined if all rows are samples. */
export function createRowPicks({ path, only }: Pick<Piece, 'path' | 'only'>): RowPicks | undefined {
  if (only === undefined) return undefined;
  let found = 0;
  return {
    takes(place) {
      if (only[found] !== place) return false;
      found += 1;
      return true;
    },
    finish() {
      if (found === only.length) return;
      const about = { path, missing: only.length - found, all: only.length };
      throw new SetupError(runSentences.FORMER_ROWS_MOVED.reason(about));
    },
  };
}
