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
      throw new SetupError(
        `${path}: ${only.length - found} of ${only.length} failed rows do not begin where they did in the run before, perhaps because input.encoding was changed; execute the task over all of its input`,
      );
    },
  };
}
