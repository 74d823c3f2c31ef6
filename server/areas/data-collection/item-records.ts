import { isoNow } from '../../kernel/clock.ts';
import type { FailureCounts } from '../../kernel/failure-counts.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import { foreign, type Reason, reasonColumns, type Sentence, storedReason } from '../../kernel/sentences/index.ts';
import { countFailure, noCounts } from '../../runs/index.ts';
import type { Journal } from '../../connectors/index.ts';
import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { CollectionItemsTable } from '../../storage/database/tables/data-collection.ts';
import { keyOf, type Collection } from './drive.ts';
import { insertItems } from './queries/items.ts';
import { insertNotes, listNotes } from './queries/notes.ts';
import { findCollectionRun, saveCollectionRun } from './queries/runs.ts';

/** The verdict on an item, with its content if it is new. */
export type ItemVerdict = {
  name: string;
  key?: string;
  verdict: CollectionItemsTable['verdict'];
  reason?: Reason;
  path?: string;
  inputs?: number;
  sizeBytes?: number;
  evidence?: Readonly<Record<string, unknown>> | undefined;
  stamp?: unknown;
  /** What the connector needs to continue after it. */
  note?: unknown;
  setKey?: string;
  position?: unknown;
  staged?: StagedBlob;
  /** Where the list continues after it. */
  cursor?: unknown;
};

/** Gathers verdicts and stores them in order, in checkpoints of the run. */
export type ItemRecords = {
  /** Where the list continues; undefined at its beginning. */
  readonly cursor: unknown;
  /** Whether an earlier drive, or the run that this one resumes, has recorded items. */
  readonly hasEarlier: boolean;
  readonly journal: Journal;
  expect(inputs: number): void;
  /** Adds verdicts that one checkpoint stores together, and stores what is due. */
  add(...verdicts: readonly ItemVerdict[]): Promise<void>;
  /** Stores all that is left. */
  flush(): Promise<void>;
  /** Erases the content of what is not stored yet. */
  discard(): Promise<void>;
};

const storedAtOnce = 200;
/**
 * Items are stored soon after those before, so that a killed run fetches again what was on its way, and little of what had
 * arrived. The pause is twice the time of the last checkpoint. Nothing more is taken while an item has waited too long: a moment
 * if items arrive slowly, several checkpoints if they arrive fast and so cost little.
 */
const restFactor = 2;
const longestRestMs = 100;
const slowUnstoredMs = 20;
const fastUnstoredFactor = 5;
const mostUnstoredMs = 500;
const fastItems = 14;
const maxReasonLength = 1000;
const notesAtOnce = 500;

export async function openItemRecords(collection: Collection): Promise<ItemRecords> {
  const { db, blobs, clock, context, run, cleanAll, cleanReason } = collection;
  const before = await findCollectionRun(db.read, run.id);
  const hasEarlier = (before?.next_item_no ?? 0) > 0;
  let cursor: unknown = before?.cursor === null || before === undefined ? undefined : JSON.parse(before.cursor);
  let nextNo = before?.next_item_no ?? 0;
  let waiting: ItemVerdict[] = [];
  let expected: number | undefined;
  let spent: unknown = before?.spent === null || before === undefined ? undefined : JSON.parse(before.spent);
  let isSpending = false;
  let storing: Promise<void> = Promise.resolve();
  let isBusy = false;
  /** When the first of the waiting items arrived. */
  let since = 0;
  /** The same of those that are being stored. */
  let storedSince = 0;
  let storingItems = 0;
  let fastUnstoredMs = slowUnstoredMs;
  let restUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  function rowOf(item: ItemVerdict, number: number): CollectionItemsTable {
    const { name, key, verdict, path, inputs = 1, sizeBytes, evidence, stamp, setKey, position, staged } = item;
    const reason = item.reason === undefined ? null : storableReason(cleanReason(item.reason));
    return {
      run_id: run.id,
      item_no: number,
      name: storable(name),
      search_text: searchTextOf(storable([name, path ?? '', reason?.text ?? ''].join('\uFFFF'))),
      item_key: key === undefined ? null : keyOf(key),
      verdict,
      ...reasonColumns('reason', reason),
      path: path === undefined ? null : storable(path),
      inputs,
      size_bytes: sizeBytes ?? null,
      fetched_at: isoNow(clock),
      evidence: jsonOf(cleanAll(evidence)),
      stamp: jsonOf(stamp),
      set_key: setKey === undefined ? null : keyOf(setKey),
      position: jsonOf(position),
      staged_blob_id: staged?.id ?? null,
    };
  }

  /** Stores one after another, because items are numbered in order. */
  function store(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isBusy = true;
    const stored = storing.then(async () => {
      const begun = performance.now();
      storedSince = since;
      storingItems = waiting.length;
      await storeDue();
      const ended = performance.now();
      restUntil = ended + Math.min(longestRestMs, restFactor * (ended - begun));
      fastUnstoredMs = Math.min(mostUnstoredMs, Math.max(slowUnstoredMs, fastUnstoredFactor * (ended - begun)));
      storingItems = 0;
    });
    storing = stored;
    stored.then(
      () => {
        if (storing !== stored) return;
        isBusy = false;
        if (waiting.length > 0) storeSoon();
      },
      // Whoever stores next meets the error.
      () => undefined,
    );
    return stored;
  }

  /** Stores what waits, without anybody waiting for it. */
  function storeSoon(): void {
    if (isBusy || timer !== undefined) return;
    timer = setTimeout(() => void store().catch(() => undefined), Math.max(0, restUntil - performance.now()));
  }

  async function storeDue(): Promise<void> {
    const items = waiting;
    waiting = [];
    if (items.length === 0 && expected === undefined && !isSpending) return;
    isSpending = false;
    const rows = items.map((item, index) => rowOf(item, nextNo + index));
    const staged = items.flatMap((item) => item.staged ?? []);
    const counts = { ...noCounts };
    const failures: FailureCounts = new Map();
    for (const row of rows) {
      const { inputs, verdict } = row;
      counts.in += inputs;
      if (verdict === 'KEPT') {
        counts.kept += inputs;
        counts.emitted += inputs;
      } else if (verdict === 'DROPPED') counts.dropped += inputs;
      else {
        counts.failed += inputs;
        countFailure(failures, storedReason('reason', row) ?? foreign('unknown'), inputs);
      }
    }
    const notes = items.flatMap(({ note }, index) =>
      note === undefined ? [] : [{ run_id: run.id, item_no: nextNo + index, note: jsonOf(note) ?? 'null' }],
    );
    const last = items.findLast((item) => item.cursor !== undefined);
    if (last !== undefined) ({ cursor } = last);
    nextNo += rows.length;
    const progress = { done: counts.in, counts, failures, ...(expected === undefined ? {} : { total: expected }) };
    expected = undefined;
    try {
      if (staged.length > 0) await blobs.flush();
      await context.checkpoint(progress, async (tx) => {
        if (staged.length > 0) await blobs.adopt(tx, staged);
        if (rows.length > 0) await insertItems(tx, rows);
        if (notes.length > 0) await insertNotes(tx, notes);
        await saveCollectionRun(tx, {
          run_id: run.id,
          cursor: jsonOf(cursor),
          next_item_no: nextNo,
          landed_version: before?.landed_version ?? null,
          spent: jsonOf(spent),
        });
      });
    } finally {
      await blobs.settle(staged);
    }
  }

  return {
    cursor,
    hasEarlier,
    journal: {
      items: nextNo,
      spent,
      async *notes() {
        for (let after = -1; ;) {
          const notes = await listNotes(db.read, run.id, after, notesAtOnce);
          for (const { item_no: item, note } of notes) yield { item, note: JSON.parse(note) as unknown };
          const last = notes.at(-1);
          if (last === undefined) return;
          after = last.item_no;
        }
      },
      spend(now) {
        spent = now;
        isSpending = true;
        return store();
      },
    },
    expect(inputs) {
      expected = inputs;
    },
    async add(...verdicts) {
      if (waiting.length === 0) since = performance.now();
      waiting.push(...verdicts);
      const isFast = waiting.length + storingItems > fastItems;
      const late = performance.now() - (isFast ? fastUnstoredMs : slowUnstoredMs);
      if (waiting.length >= storedAtOnce || since <= late) await store();
      else if (isBusy && storedSince <= late) await storing;
      else storeSoon();
    },
    flush: store,
    async discard() {
      clearTimeout(timer);
      const left = waiting.splice(0);
      await storing.catch(() => undefined);
      await blobs.settle(left.flatMap(({ staged }) => staged ?? []));
    },
  };
}

function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : storable(JSON.stringify(value));
}

/** A reason that a database holds, whose text is not a document. */
function storableReason({ text, sentence }: Reason): Reason {
  return {
    text: storable(text.slice(0, maxReasonLength)),
    sentence: sentence === null ? null : (JSON.parse(storable(JSON.stringify(sentence))) as Sentence),
  };
}

/** Removes characters that a database refuses. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '�');
}
