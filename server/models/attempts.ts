import { type Reason, capitalized } from '../kernel/sentences/index.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { budgetsOf, worstCase, type Budget } from './budgets.ts';
import type { CallSlots } from './call-slots.ts';
import { BudgetExhaustedError, ModelCallError, WayRefusedError } from './errors.ts';
import type { CallToBegin, CallToEnd, Ledger } from './ledger.ts';
import { costNano, defaultConcurrency, type Caps, type Model } from './model.ts';
import type { Usage } from './providers/provider.ts';
import { backoffMs } from './retries.ts';
import { outgoingSentences } from '../outgoing/index.ts';

/** The caller of a model, and the budget it may use. */
export type Asker = {
  runId?: string | undefined;
  sampleId?: string | undefined;
  /** A budget over several calls; `id` is that of the run, or of the first run of a chain of resumed runs. */
  budget?: { id: string; caps: Caps; /** In words; default: this run. */ name?: Reason } | undefined;
  signal?: AbortSignal | undefined;
};

/** One call as recorded in the ledger, and the function that sends it. */
export type Work<T> = {
  key: string;
  request: string;
  sequence: number;
  /** Maximum number of tokens that one attempt can use. */
  worst: Usage;
  /** Removed from the ledger once it has ended. */
  forget: boolean;
  maxAttempts: number;
  send(attempt: number): Promise<{ result: T; usage: Usage | undefined; response: string | null }>;
};

/** Without usage and cost if the provider did not report tokens. */
export type Made<T> = { result: T; usage: Usage | undefined; costNano: number | undefined };

/** Another process is making this call. */
export class TakenError extends Error {
  override readonly name = 'TakenError';
}

/** If a provider asks for a longer wait, the call is not retried. */
const longestWaitMs = 60_000;
const budgetPollMs = 100;
const endTries = 6;

/**
 * Makes one call: before each attempt, reserves budget, records the call in the ledger and acquires a slot; settles the
 * reservation after it. Retries where another attempt may succeed. Throws ModelCallError, BudgetExhaustedError,
 * TakenError.
 */
export type MakeCall = <T>(model: Model, work: Work<T>, asker: Asker) => Promise<Made<T>>;

export function createMakeCall({ ledger, slots, clock }: { ledger: Ledger; slots: CallSlots; clock: Clock }): MakeCall {
  return async (model, work, asker) => {
    const { signal } = asker;
    for (let attempt = 1; ;) {
      try {
        return await makeAttempt(model, work, asker, attempt);
      } catch (error) {
        if (!(error instanceof ModelCallError) || !mayTryAgain(error, attempt, work.maxAttempts)) throw error;
        if (error instanceof WayRefusedError) continue;
        attempt += 1;
        const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs(attempt - 1));
        await sleep(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => {
          throw stopped(false);
        });
      }
    }
  };

  async function makeAttempt<T>(model: Model, work: Work<T>, asker: Asker, attempt: number): Promise<Made<T>> {
    const { signal } = asker;
    const ceiling = model.limits.concurrency ?? defaultConcurrency;
    const { call, leaveLine } = await begin(model, work, asker, { attempt, ceiling });
    const slot = await slots
      .acquire(model.id, ceiling, signal)
      .catch(() => undefined)
      .finally(leaveLine);
    if (slot === undefined) {
      await endSurely(unsent(call, work.forget));
      throw stopped(false);
    }
    const startedAt = performance.now();
    const tookMs = (): number => Math.round(performance.now() - startedAt);
    const end = (
      status: 'DONE' | 'FAILED' | 'PENDING',
      usage: Usage,
      rest: { response?: string | null; cause?: string; sent?: boolean; unreported: boolean },
    ): Promise<void> => {
      const cost = costNano(model.prices, usage);
      const used = { calls: 1, tokens: usage.input + usage.output, cost };
      const { sent = true, unreported } = rest;
      return endSurely({
        ...call,
        outcome: {
          status,
          response: rest.response ?? null,
          cause: rest.cause ?? null,
          input_tokens: usage.input,
          output_tokens: usage.output,
          cost_nano: cost,
          duration_ms: tookMs(),
        },
        sent,
        unreported,
        // Without reported tokens, budgets count the maximum; the usage figures count such calls separately.
        used: unreported ? call.reservation.amount : sent ? used : { calls: 0, tokens: 0, cost: 0 },
        forget: work.forget && status !== 'PENDING',
      });
    };

    let answer: Awaited<ReturnType<Work<T>['send']>>;
    try {
      answer = await work.send(attempt);
    } catch (error) {
      const failure = error instanceof ModelCallError ? error : undefined;
      const refused = failure !== undefined && isRefusal(failure);
      slot.release(refused ? 'refused' : 'failed', {
        sentMs: startedAt,
        pauseMs: refused ? pauseOf(failure) : undefined,
      });
      const willRetry = failure !== undefined && mayTryAgain(failure, attempt, work.maxAttempts);
      await end(willRetry ? 'PENDING' : 'FAILED', failure?.usage ?? { input: 0, output: 0 }, {
        cause: failure?.message ?? 'the call failed inside the service',
        sent: failure?.sent ?? true,
        unreported: failure?.usage === undefined && (failure?.maybeBilled ?? true),
      });
      throw error;
    }
    slot.release('answered', { sentMs: startedAt });
    const { result, usage, response } = answer;
    const unreported = usage === undefined;
    await end('DONE', usage ?? { input: 0, output: 0 }, { response, unreported });
    return { result, usage, costNano: unreported ? undefined : costNano(model.prices, usage) };
  }

  /** Retries on database errors, so that a reply that was paid for is not lost. */
  async function endSurely(call: Parameters<Ledger['end']>[0]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await ledger.end(call);
        return;
      } catch (error) {
        if (tries === endTries) throw error;
        await sleep(100 * 2 ** tries);
      }
    }
  }

  /** Waits for a place in the queue, then for budget that other calls have reserved temporarily; records the call. */
  async function begin<T>(
    model: Model,
    work: Work<T>,
    asker: Asker,
    { attempt, ceiling }: { attempt: number; ceiling: number },
  ) {
    const { runId = null, sampleId = null, budget, signal } = asker;
    for (;;) {
      if (signal?.aborted === true) throw stopped(false);
      const leaveLine = await slots.enter(model.id, ceiling, signal).catch((error: unknown) => {
        throw signal?.aborted === true ? stopped(false) : error;
      });
      try {
        const day = clock.now().toISOString().slice(0, 10);
        const budgets: Budget[] = budgetsOf(model, day, budget);
        const call: CallToBegin = {
          key: work.key,
          request: work.request,
          modelId: model.id,
          runId,
          sampleId,
          sequence: work.sequence,
          reservation: { amount: worstCase(model, work.worst), budgets },
          day,
        };
        const outcome = await ledger.begin(call);
        if (outcome === 'begun') return { call, leaveLine };
        if (outcome === 'taken') throw new TakenError('another process makes this call');
        if (outcome instanceof BudgetExhaustedError) throw outcome;
      } catch (error) {
        leaveLine();
        throw error;
      }
      leaveLine();
      await sleep(budgetPollMs * (0.5 + Math.random()) * Math.min(attempt, 5));
    }
  }
}

/** The end of a call that was recorded and then not made. */
function unsent(call: CallToBegin, forget: boolean): CallToEnd {
  const nothing = { input_tokens: 0, output_tokens: 0, cost_nano: 0, duration_ms: 0 };
  return {
    ...call,
    outcome: { status: 'FAILED', response: null, cause: 'the call was stopped', ...nothing },
    sent: false,
    unreported: false,
    used: { calls: 0, tokens: 0, cost: 0 },
    forget,
  };
}

function mayTryAgain(error: ModelCallError, attempt: number, maxAttempts: number): boolean {
  if (error instanceof WayRefusedError) return true;
  const { retryable, retryAfterMs = 0 } = error;
  return retryable && attempt < maxAttempts && retryAfterMs <= longestWaitMs;
}

/** Whether the error means that the provider can handle fewer calls. */
function isRefusal({ problem }: ModelCallError): boolean {
  return problem === 'rate-limited' || problem === 'server-error' || problem === 'timeout';
}

function pauseOf({ problem, retryAfterMs }: ModelCallError): number | undefined {
  return problem === 'rate-limited' || problem === 'server-error'
    ? Math.min(retryAfterMs ?? 0, longestWaitMs)
    : undefined;
}

export function stopped(sent: boolean): ModelCallError {
  return new ModelCallError('aborted', capitalized(outgoingSentences.CALL_STOPPED.reason({})), {
    sent,
    maybeBilled: sent,
  });
}
