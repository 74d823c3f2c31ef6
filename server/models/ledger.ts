import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { createGroupCommit, type Waiting } from '../kernel/group-commit.ts';
import { together } from '../storage/database/together.ts';
import { reserve, settle, type Budget, type Reservation, type ReserveOutcome } from './budgets.ts';
import type { Processes } from './processes.ts';
import { lockBudgets, type Amount } from './queries/budgets.ts';
import {
  abandonCalls,
  beginCalls,
  deleteCalls,
  endCalls,
  findCall,
  listOrphanedCalls,
  takeBackReply,
  type CallRow,
  type EndedCall,
  type OrphanedCall,
} from './queries/calls.ts';
import { addUsage } from './queries/usage.ts';

/** The caller, for the ledger and the usage figures. */
export type CallOf = { modelId: string; runId: string | null; sampleId: string | null; sequence: number };

export type CallToBegin = CallOf & { key: string; request: string; reservation: Reservation; day: string };

/** The result of requesting a call: it may be made, another process is making it, or a budget prevents it. */
export type BeginOutcome = 'begun' | 'taken' | Exclude<ReserveOutcome, undefined>;

/** A call that was begun, with its result. */
export type CallToEnd = CallToBegin & {
  outcome: Omit<EndedCall, 'key'>;
  /** Whether the request may have reached the provider: otherwise it is not counted as usage. */
  sent: boolean;
  used: Amount;
  /** The provider may bill tokens that it did not report: it reported none, broke off, or the caller left. */
  unreported: boolean;
  /** Removed afterwards: the caller stores the reply itself. */
  forget: boolean;
};

/** The calls of all models: each is recorded before it is made, and its reply is stored. */
export type Ledger = {
  find(key: string): Promise<CallRow | undefined>;
  begin(call: CallToBegin): Promise<BeginOutcome>;
  end(call: CallToEnd): Promise<void>;
  /** Allows the call of an unusable stored reply to be made again; `finishedAt` identifies the reply that was read. */
  takeBack(key: string, finishedAt: string | null): Promise<void>;
  /** Ends the calls of dead processes: their reservations count as used, because it is unknown how far they got. */
  recover(): Promise<number>;
  idle(): Promise<void>;
};

/** A requested call, with its outcome once its group is committed. */
type BeginStep = { begun: CallToBegin; outcome: BeginOutcome };
type Step = BeginStep | { ended: CallToEnd };

/** The part of a reservation that is stored with its call, for recovery. */
type Reserved = { amount: Amount; budgets: string[] };

const recoverAtOnce = 500;
const unusable = 'the reply could not be used, and a later run asks again';
const abandoned = 'the process that made this call ended before the reply came';

export function createLedger({ db, clock, processes }: { db: Database; clock: Clock; processes: Processes }): Ledger {
  const stamp = () => ({ owner: processes.id, now: isoNow(clock) });

  /** Begins and ends calls in one transaction. */
  async function commitGroup(group: readonly Waiting<Step, void>[]): Promise<void> {
    const begins: BeginStep[] = [];
    const ends: CallToEnd[] = [];
    for (const { item } of group)
      if ('ended' in item) ends.push(item.ended);
      else begins.push(item);
    if (begins.length > 0) await processes.stayAlive();
    await db.write((tx) => together([endAll(tx, ends), beginAll(tx, begins)]));
    for (const { resolve } of group) resolve();
  }

  async function beginAll(tx: Tx, steps: readonly BeginStep[]): Promise<void> {
    if (steps.length === 0) return;
    const reserved = await reserve(
      tx,
      steps.map(({ begun }) => begun.reservation),
    );
    for (const [index, step] of steps.entries()) step.outcome = reserved[index] ?? 'begun';
    const covered = steps.filter(({ outcome }) => outcome === 'begun').sort((a, b) => byKey(a.begun, b.begun));
    if (covered.length === 0) return;
    const calls = covered.map(({ begun }) => begun);
    const [keys] = await together([
      beginCalls(tx, stamp(), calls.map(toRow)),
      addUsage(
        tx,
        usageOf(calls, () => ({ calls: 1, input: 0, output: 0, cost: 0, unreported: 0 })),
      ),
    ]);
    const taken = covered.filter(({ begun }) => !keys.has(begun.key));
    for (const step of taken) step.outcome = 'taken';
    if (taken.length > 0)
      await takeBack(
        tx,
        taken.map(({ begun }) => begun),
      );
  }

  /** Returns the reservations of calls that another process is making or has made. */
  async function takeBack(tx: Tx, calls: readonly CallToBegin[]): Promise<void> {
    await addUsage(
      tx,
      usageOf(calls, () => ({ calls: -1, input: 0, output: 0, cost: 0, unreported: 0 })),
    );
    await settle(
      tx,
      calls.map((call) => ({ ...reservedOf(call.reservation), used: nothing })),
    );
  }

  async function endAll(tx: Tx, calls: readonly CallToEnd[]): Promise<void> {
    if (calls.length === 0) return;
    await lockBudgets(tx, [...new Set(calls.flatMap(({ reservation }) => idsOf(reservation.budgets)))]);
    const ended = await endCalls(
      tx,
      stamp(),
      calls.map(({ key, outcome }) => ({ key, ...outcome })),
    );
    // A process that was suspended too long has lost its calls: they were settled by another process.
    const own = calls.filter(({ key }) => ended.has(key));
    if (own.length === 0) return;
    const forgotten = own.filter(({ forget }) => forget).map(({ key }) => key);
    await together([
      addUsage(
        tx,
        usageOf(own, ({ sent, outcome, unreported }) => ({
          calls: sent ? 0 : -1,
          input: outcome.input_tokens,
          output: outcome.output_tokens,
          cost: outcome.cost_nano,
          unreported: unreported ? 1 : 0,
        })),
      ),
      settle(
        tx,
        own.map((call) => ({ ...reservedOf(call.reservation), used: call.used })),
      ),
      ...(forgotten.length === 0 ? [] : [deleteCalls(tx, forgotten)]),
    ]);
  }

  const begins = createGroupCommit(commitGroup);
  // SQLite has a single writer: beginning and ending calls share an fsync. In PostgreSQL they would lock rows in no
  // common order.
  const ends = db.dialect === 'sqlite' ? begins : createGroupCommit(commitGroup);

  return {
    find: (key) => findCall(db.read, key),
    async begin(call) {
      const step: BeginStep = { begun: call, outcome: 'taken' };
      await begins.commit(step);
      return step.outcome;
    },
    end: (call) => ends.commit({ ended: call }),
    takeBack: (key, finishedAt) => db.write((tx) => takeBackReply(tx, { key, finishedAt, cause: unusable })),
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
          await addUsage(
            tx,
            usageOf(calls.filter(({ key }) => keys.has(key)).map(toCallOf), () => ({
              calls: 0,
              input: 0,
              output: 0,
              cost: 0,
              unreported: 1,
            })),
          );
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

type UsageOf = Pick<CallToBegin, 'modelId' | 'runId' | 'day'>;

function toCallOf({ model_id, run_id, used_on }: OrphanedCall): UsageOf {
  return { modelId: model_id, runId: run_id, day: used_on };
}

/** One row per model, day and run. */
function usageOf<T extends UsageOf>(
  calls: readonly T[],
  figuresOf: (call: T) => { calls: number; input: number; output: number; cost: number; unreported: number },
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
    row.unreported_calls += figures.unreported;
    rows.set(id, row);
  }
  return [...rows.values()];
}

function emptyUsage({ modelId, day, runId }: UsageOf) {
  return {
    model_id: modelId,
    day,
    run_id: runId ?? '',
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_nano: 0,
    unreported_calls: 0,
  };
}
