import type { ShardsTable } from '../../../storage/database/tables/engine.ts';
import {
  describeJoined,
  describeLeftOut,
  hasOtherColumns,
  isEmptied,
  joinFile,
  openJoin,
  partsOf,
  type Join,
  type JoinedFile,
} from './joins.ts';
import { listShards, listUnjoined, setJoined } from '../queries/shards.ts';
import type { Drive } from '../drive-context.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import { RunLetGo } from '../../../runs/index.ts';
import type { Piece } from '../../orders/shard.ts';

/** A shard after its checkpoint: its row, and the bytes of its outputs until `letGo` is called. */
export type FinishedShard = {
  row: Pick<ShardsTable, 'shard_no' | 'pieces' | 'file_part' | 'file_parts' | 'outputs'>;
  held: ReadonlyMap<string, Uint8Array>;
  letGo: () => void;
};

/**
 * Joins large files while other parts are still processed: the outputs of recent checkpoints are still in memory and
 * need not be read again. Only for runs that were not resumed; otherwise files are joined at the end.
 */
export type EarlyJoins = {
  /** Takes over a shard and its memory. Throws the error of an earlier shard. */
  take(shard: FinishedShard): void;
  /** Resolves when all shards are joined; throws the first error. */
  drain(): Promise<void>;
  /** Must always be called; discards files that are not joined. */
  close(): Promise<void>;
};

/** A large file being joined: finished parts wait for those before them. */
type OpenFile = {
  firstShardNo: number;
  parts: number;
  join: Join;
  written: number;
  waiting: Map<number, FinishedShard>;
  work: Promise<void> | undefined;
  /** Set if it is joined at the end, because the columns of its rows are known only when all parts are done. */
  isLeft?: true;
};

/** Larger parts are not kept in memory but read again. */
const maxHeldBytes = 16 << 20;

export function createEarlyJoins(drive: Drive): EarlyJoins {
  const { db, blobs, pool, run, context } = drive;
  const files = new Map<number, OpenFile>();
  // As many as are processed concurrently: parts finish nearly in order.
  const maxHeld = pool.size + 1;
  let held = 0;
  let failure: { error: unknown } | undefined;

  function keep(shard: FinishedShard): FinishedShard {
    const bytes = [...shard.held.values()].reduce((sum, { length }) => sum + length, 0);
    if (bytes === 0 || held >= maxHeld || bytes > maxHeldBytes) {
      shard.letGo();
      return { ...shard, held: new Map(), letGo: () => {} };
    }
    held += 1;
    const letGo = (): void => {
      held -= 1;
      shard.letGo();
    };
    return { ...shard, letGo };
  }

  function fileOf({ shard_no, file_part, file_parts, pieces }: FinishedShard['row']): OpenFile | undefined {
    const firstShardNo = shard_no - file_part;
    const known = files.get(firstShardNo);
    if (known !== undefined) return known;
    const [piece] = JSON.parse(pieces) as Piece[];
    // A Parquet file is rewritten from all its parts at once.
    if (file_parts === 1 || piece === undefined || piece.column !== undefined) return undefined;
    const join = openJoin(blobs, piece);
    const file = { firstShardNo, parts: file_parts, join, written: 0, waiting: new Map(), work: undefined };
    files.set(firstShardNo, file);
    return file;
  }

  async function writeOn(file: OpenFile): Promise<void> {
    for (let next = nextOf(file); next !== undefined && file.isLeft !== true; next = nextOf(file)) {
      context.signal.throwIfAborted();
      try {
        await file.join.write(partsOf(next.row), next.held);
      } finally {
        file.waiting.delete(file.written);
        next.letGo();
      }
      file.written += 1;
    }
    if (file.isLeft === true) await leave(file);
    if (file.isLeft === true || file.written < file.parts) return;
    const shards = await listShards(db.read, run.id, file.firstShardNo - 1, file.parts);
    const isLeftOut = run.failedOf !== null && isEmptied(shards);
    await commitJoined(drive, isLeftOut ? describeLeftOut(shards) : describeJoined(shards, await file.join.finish()));
    await file.join.close();
    files.delete(file.firstShardNo);
  }

  async function leave(file: OpenFile): Promise<void> {
    for (const shard of file.waiting.values()) shard.letGo();
    file.waiting.clear();
    await file.join.close();
  }

  function work(file: OpenFile): void {
    if (file.work !== undefined || failure !== undefined) return;
    if (file.isLeft === true ? file.waiting.size === 0 : nextOf(file) === undefined) return;
    file.work = writeOn(file)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        file.work = undefined;
        work(file);
      });
  }

  return {
    take(shard) {
      if (failure !== undefined) {
        shard.letGo();
        throw failure.error;
      }
      const file = fileOf(shard.row);
      if (file === undefined || file.isLeft === true) {
        shard.letGo();
        return;
      }
      if (hasOtherColumns(shard.row)) file.isLeft = true;
      file.waiting.set(shard.row.file_part, keep(shard));
      work(file);
    },
    async drain() {
      for (;;) {
        const working = [...files.values()].flatMap((file) => file.work ?? []);
        if (working.length === 0) break;
        await Promise.all(working);
      }
      if (failure !== undefined) throw failure.error;
    },
    async close() {
      failure ??= { error: new RunLetGo('The run has ended') };
      for (const file of files.values()) {
        await file.work;
        for (const shard of file.waiting.values()) shard.letGo();
        file.waiting.clear();
        await file.join.close();
      }
    },
  };
}

function nextOf(file: OpenFile): FinishedShard | undefined {
  return file.waiting.get(file.written);
}

/** Joins the large files that are not joined yet. */
export async function joinFiles(drive: Drive): Promise<void> {
  const { db, blobs, columns, run, context } = drive;
  for (const { shard_no, file_parts } of await listUnjoined(db.read, run.id)) {
    context.signal.throwIfAborted();
    const shards = await listShards(db.read, run.id, shard_no - 1, file_parts);
    const sources = { blobs, rewriteTable: columns.rewrite };
    const isLeftOut = run.failedOf !== null && isEmptied(shards);
    const joined = isLeftOut ? describeLeftOut(shards) : await joinFile(sources, shards, context.signal);
    const [{ path = '' } = {}] = JSON.parse(shards[0]?.pieces ?? '[]') as Partial<Piece>[];
    if (joined.losses !== undefined && joined.losses.length > 0) {
      await context.log('WARN', runSentences.TYPES_LOST.reason({ path, changes: joined.losses.join('; ') }));
    }
    if (joined.added !== undefined && joined.added.length > 0) {
      const added = joined.added.map(({ name, type }) => `${name} ${type}`).join(', ');
      await context.log('INFO', runSentences.COLUMNS_ADDED.reason({ path, columns: added }));
    }
    await commitJoined(drive, joined);
  }
}

async function commitJoined({ blobs, run, context }: Drive, joined: JoinedFile): Promise<void> {
  try {
    await blobs.flush();
    await context.checkpoint({}, async (tx) => {
      if (joined.staged.length > 0) await blobs.adopt(tx, joined.staged);
      if (joined.retained.length > 0) await blobs.retain(tx, joined.retained);
      if (joined.released.length > 0) await blobs.release(tx, joined.released);
      await setJoined(tx, run.id, joined.shards);
    });
  } finally {
    await blobs.settle(joined.staged);
  }
}
