import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { together } from '../storage/database/together.ts';
import { reserve, settle, type Budget, type Reservation, type ReserveOutcome } from './budgets.ts';
import { createGroupedWrites } from './grouped-writes.ts';
import type { Processes } from './processes.ts';
import { lockBudgets, type Amount } from './queries/budgets.ts';
import {
  abandonCalls,
  beginCalls,
  deleteCalls,
  endCalls,
  findCall,
  listOrphanedCalls,
  type CallRow,
  type EndedCall,
} from './queries/calls.ts';
import { addUsage } from './queries/usage.ts';

/** Who asks, for the ledger and the figures of usage. */
export type CallOf = { modelId: string; runId: string | null; sampleId: string | null; sequence: number };

export type CallToBegin = CallOf & { key: string; request: string; reservation: Reservation; day: string };

/** What became of the wish to make a call: it may be made, another process makes it, or a budget stands against it. */
export type BeginOutcome = 'begun' | 'taken' | Exclude<ReserveOutcome, undefined>;

/** A call that was begun, for its end. */
export type CallToEnd = CallToBegin & {
  outcome: Omit<EndedCall, 'key'>;
  /** Whether the request may have reached the provider: if not, it counts nowhere. */
  sent: boolean;
  used: Amount;
  /** Not kept: who asks keeps the reply itself. */
  forget: boolean;
};

/** The calls of all models: each is written down before it is made, and what it brought is kept. */
export type Ledger = {
  find(key: string): Promise<CallRow | undefined>;
  begin(call: CallToBegin): Promise<BeginOutcome>;
  end(call: CallToEnd): Promise<void>;
  /** Ends what processes that are dead left behind: what they had reserved counts as used, for nobody knows how far they came. */
  recover(): Promise<number>;
  idle(): Promise<void>;
};

/** What of a reservation is kept beside its call, for recovery. */
type Reserved = { amount: Amount; budgets: string[] };

const recoverAtOnce = 500;
const abandoned = 'the process that made this call ended before the reply came';

export function createLedger({ db, clock, processes }: { db: Database; clock: Clock; processes: Processes }): Ledger {
  const stamp = () => ({ owner: processes.id, now: isoNow(clock) });

  async function beginGroup(calls: readonly CallToBegin[]): Promise<BeginOutcome[]> {
    await processes.stayAlive();
    return db.write(async (tx) => {
      const reserved = await reserve(
        tx,
        calls.map(({ reservation }) => reservation),
      );
      const covered = calls.filter((_call, index) => reserved[index] === undefined).sort(byKey);
      if (covered.length === 0) return reserved.map((outcome) => outcome ?? 'taken');
      const [begun] = await together([
        beginCalls(tx, stamp(), covered.map(toRow)),
        addUsage(
          tx,
          usageOf(covered, () => ({ calls: 1, input: 0, output: 0, cost: 0 })),
        ),
      ]);
      const taken = covered.filter(({ key }) => !begun.has(key));
      if (taken.length > 0) await takeBack(tx, taken);
      return calls.map(({ key }, index) => reserved[index] ?? (begun.has(key) ? 'begun' : 'taken'));
    });
  }

  /** Calls that somebody else makes or has made use nothing here. */
  async function takeBack(tx: Tx, calls: readonly CallToBegin[]): Promise<void> {
    await addUsage(
      tx,
      usageOf(calls, () => ({ calls: -1, input: 0, output: 0, cost: 0 })),
    );
    await settle(
      tx,
      calls.map((call) => ({ ...reservedOf(call.reservation), used: nothing })),
    );
  }

  async function endGroup(calls: readonly CallToEnd[]): Promise<undefined[]> {
    const budgetIds = [...new Set(calls.flatMap(({ reservation }) => idsOf(reservation.budgets)))];
    await db.write(async (tx) => {
      await lockBudgets(tx, budgetIds);
      const ended = await endCalls(
        tx,
        stamp(),
        calls.map(({ key, outcome }) => ({ key, ...outcome })),
      );
      // A process that was away for too long has lost its calls: they were settled without it.
      const own = calls.filter(({ key }) => ended.has(key));
      if (own.length === 0) return;
      const forgotten = own.filter(({ forget }) => forget).map(({ key }) => key);
      await together([
        addUsage(
          tx,
          usageOf(own, ({ sent, outcome }) => ({
            calls: sent ? 0 : -1,
            input: outcome.input_tokens,
            output: outcome.output_tokens,
            cost: outcome.cost_nano,
          })),
        ),
        settle(
          tx,
          own.map((call) => ({ ...reservedOf(call.reservation), used: call.used })),
        ),
        ...(forgotten.length === 0 ? [] : [deleteCalls(tx, forgotten)]),
      ]);
    });
    return calls.map(() => undefined);
  }

  const begins = createGroupedWrites(beginGroup);
  const ends = createGroupedWrites(endGroup);

  return {
    find: (key) => findCall(db.read, key),
    begin: (call) => begins.write(call),
    end: (call) => ends.write(call),
    async recover() {
      let recovered = 0;
      for (;;) {
        const found = await db.write(async (tx) => {
          const alive = await processes.listLive(tx);
          const calls = await listOrphanedCalls(tx, { alive, limit: recoverAtOnce });
          if (calls.length === 0) return 0;
          const reservedByKey = new Map(calls.map(({ key, reserved }) => [key, parseReserved(reserved)]));
          await lockBudgets(
            tx,
            [...reservedByKey.values()].flatMap((reserved) => reserved?.budgets ?? []),
          );
          const rest = { alive, now: isoNow(clock), cause: abandoned };
          const keys = await abandonCalls(tx, [...reservedByKey.keys()], rest);
          await settle(
            tx,
            [...keys].flatMap((key) => {
              const reserved = reservedByKey.get(key);
              if (reserved === undefined) return [];
              return [{ budgetIds: reserved.budgets, reserved: reserved.amount, used: reserved.amount }];
            }),
          );
          return calls.length;
        });
        recovered += found;
        if (found < recoverAtOnce) return recovered;
      }
    },
    async idle() {
      await begins.idle();
      await ends.idle();
    },
  };
}

const nothing: Amount = { calls: 0, tokens: 0, cost: 0 };

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : 1;
}

function toRow({ key, modelId, runId, sampleId, sequence, request, reservation }: CallToBegin) {
  const kept: Reserved = { amount: reservation.amount, budgets: idsOf(reservation.budgets) };
  return {
    key,
    model_id: modelId,
    run_id: runId,
    sample_id: sampleId,
    sequence,
    request,
    reserved: kept.budgets.length === 0 ? null : JSON.stringify(kept),
  };
}

function parseReserved(text: string | null): Reserved | undefined {
  return text === null ? undefined : (JSON.parse(text) as Reserved);
}

function reservedOf({ amount, budgets }: Reservation) {
  return { budgetIds: idsOf(budgets), reserved: amount };
}

function idsOf(budgets: readonly Budget[]): string[] {
  return budgets.map(({ id }) => id);
}

/** One row for each model, day and run. */
function usageOf<T extends CallToBegin>(
  calls: readonly T[],
  figuresOf: (call: T) => { calls: number; input: number; output: number; cost: number },
) {
  const rows = new Map<string, ReturnType<typeof emptyUsage>>();
  for (const call of calls) {
    const id = `${call.modelId} ${call.day} ${call.runId ?? ''}`;
    const row = rows.get(id) ?? emptyUsage(call);
    const figures = figuresOf(call);
    row.calls += figures.calls;
    row.input_tokens += figures.input;
    row.output_tokens += figures.output;
    row.cost_nano += figures.cost;
    rows.set(id, row);
  }
  return [...rows.values()];
}

function emptyUsage({ modelId, day, runId }: CallToBegin) {
  return { model_id: modelId, day, run_id: runId ?? '', calls: 0, input_tokens: 0, output_tokens: 0, cost_nano: 0 };
}
