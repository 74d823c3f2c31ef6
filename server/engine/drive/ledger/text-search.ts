import { AppError } from '../../../kernel/errors.ts';
import { RunFailure } from '../../../runs/index.ts';
import { shardLimits, type Piece, type Recipe } from '../../orders/shard.ts';
import { withPieces, type PieceSources } from '../shards/piece-places.ts';
import { createPreviewFiles } from '../unpacking/preview-files.ts';
import type { Unpacker } from '../unpacking/unpacker.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { GivenLedger } from './ledger-thread.ts';

/**
 * Adds to each ledger which of its samples have a text that contains the words; adds nothing to ledgers that come after
 * the time limit.
 */
export type TextSearch = (
  recipe: Recipe,
  words: string,
  ledgers: AsyncIterable<GivenLedger>,
) => AsyncGenerator<GivenLedger>;

type SearchDeps = Omit<PieceSources, 'unpacked'> & { unpacker: Unpacker; pool: ThreadPool; timeoutMs: number };

/**
 * Reads the texts again from the source as the run did, because they are stored nowhere else. After `timeoutMs`, and
 * where the source can't be read any more, ledgers are passed through unsearched.
 */
export function createTextSearch({ pool, timeoutMs, unpacker, ...sources }: SearchDeps): TextSearch {
  async function search(recipe: Recipe, words: string, ledger: GivenLedger, signal: AbortSignal): Promise<GivenLedger> {
    if (signal.aborted) return ledger;
    const pieces = JSON.parse(ledger.shard.pieces) as Piece[];
    const files = createPreviewFiles(unpacker);
    try {
      for (const piece of pieces) await files.unpackPiece(piece, signal);
      const ordinals = await withPieces(
        { ...sources, unpacked: files.paths },
        { pieces, maxDocuments: pieces.length, signal },
        (placed) => {
          const isGone = placed.some(({ problem }, at) => problem !== pieces[at]?.problem);
          const job = { recipe, pieces: placed, poison: [], limits: shardLimits, verdicts: [], words };
          return isGone ? Promise.resolve(undefined) : pool.run('search', job, signal);
        },
      );
      return ordinals === undefined ? ledger : { ...ledger, found: new Set(ordinals) };
    } catch (error) {
      const isExpected = error instanceof RunFailure || error instanceof WorkerLost || error instanceof AppError;
      if (!isExpected && !signal.aborted) throw error;
      // Its samples are counted as unsearched.
      return ledger;
    } finally {
      await files.close();
    }
  }

  return async function* (recipe, words, ledgers) {
    const signal = AbortSignal.timeout(timeoutMs);
    const underWay: Promise<GivenLedger>[] = [];
    for await (const ledger of ledgers) {
      const found = search(recipe, words, ledger, signal);
      // Its error is thrown when it is awaited.
      found.catch(() => {});
      underWay.push(found);
      const first = underWay.length >= pool.size ? underWay.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (const last of underWay) yield await last;
  };
}
