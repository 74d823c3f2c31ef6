import { defineErrors } from '../kernel/errors.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import type { Usage } from './providers/provider.ts';
import { modelSentences } from './sentences.ts';

export const modelErrors = defineErrors('models', {
  MODEL_NOT_FOUND: ['not-found', 'Model {id} does not exist'],
  MODEL_BUILT_IN: ['conflict', 'Model {id} is built in and can be neither changed nor deleted; create your own'],
  MODEL_WRONG_KIND: ['conflict', 'Model {name} is of the kind {kind}; choose one of the kind {needed}'],
});

export type CallProblem =
  | 'unauthorized'
  | 'not-found'
  | 'rate-limited'
  | 'quota'
  | 'invalid-request'
  | 'server-error'
  | 'timeout'
  | 'unreachable'
  | 'forbidden'
  | 'bad-answer'
  | 'aborted';

/** Why a call of a model failed, in a message for users; secrets are removed from it. */
export class ModelCallError extends ReasonedError {
  override readonly name = 'ModelCallError';
  readonly problem: CallProblem;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether the request may have reached the provider. */
  readonly sent: boolean;
  /** Whether the provider may have processed the request and counted an unknown number of tokens. */
  readonly maybeBilled: boolean;
  /** Tokens that the provider reported though its answer can not be used. */
  readonly usage: Usage | undefined;
  /** HTTP status of the response. */
  readonly status: number | undefined;

  constructor(
    problem: CallProblem,
    reason: Reason,
    options: {
      retryable?: boolean;
      retryAfterMs?: number | undefined;
      sent?: boolean;
      maybeBilled?: boolean;
      usage?: Usage | undefined;
      status?: number | undefined;
    } = {},
  ) {
    super(reason);
    this.problem = problem;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.sent = options.sent ?? true;
    this.maybeBilled = options.maybeBilled ?? false;
    this.usage = options.usage;
    this.status = options.status;
  }

  /** The same failure with the tokens that the provider reported for it. */
  withUsage(usage: Usage | undefined): ModelCallError {
    const { problem, reason, retryable, retryAfterMs, sent, maybeBilled, status } = this;
    return new ModelCallError(problem, reason, { retryable, retryAfterMs, sent, maybeBilled, status, usage });
  }
}

/**
 * The provider does not support this way of passing a schema; the next attempt uses another way, follows immediately
 * and does not count as a retry.
 */
export class WayRefusedError extends ModelCallError {
  constructor({ reason, status }: ModelCallError) {
    super('invalid-request', reason, { retryable: true, status });
  }
}

const wordsOfCap = {
  maxCalls: modelSentences.BUDGET_CALLS,
  maxTokens: modelSentences.BUDGET_TOKENS,
  maxCost: modelSentences.BUDGET_COST,
} as const;

function reasonOfBudget(budget: Reason, cap: keyof typeof wordsOfCap, limit: number): Reason {
  if (limit === 0) return modelSentences.BUDGET_ZERO.reason({ budget, cap });
  return modelSentences.BUDGET_USED_UP.reason({ budget, cap: wordsOfCap[cap].reason({ limit }) });
}

/** A budget does not allow another call; nothing was sent. */
export class BudgetExhaustedError extends ReasonedError {
  override readonly name = 'BudgetExhaustedError';
  /** Which budget, in words: `this run`, `the model … in total`, `the model … on the day 2026-01-31`. */
  readonly budget: Reason;
  readonly cap: 'maxCalls' | 'maxTokens' | 'maxCost';
  readonly limit: number;

  constructor(budget: Reason, cap: BudgetExhaustedError['cap'], limit: number, words?: Reason) {
    super(words ?? reasonOfBudget(budget, cap, limit));
    this.budget = budget;
    this.cap = cap;
    this.limit = limit;
  }
}

/** The reply does not match its schema, and the budget does not allow a repair; the one reply was paid for. */
export class UnrepairedReplyError extends BudgetExhaustedError {
  /** Whether the reply came from the ledger. */
  readonly known: boolean;

  constructor(problem: Reason, { budget, cap, limit }: BudgetExhaustedError, known: boolean) {
    super(budget, cap, limit, modelSentences.REPLY_UNFIT_NO_BUDGET.reason({ why: problem }));
    this.known = known;
  }
}

/** The reply does not match its schema, even after the model was asked to repair it. */
export class InvalidReplyError extends ReasonedError {
  override readonly name = 'InvalidReplyError';
  readonly problem: Reason;
  readonly reply: string;
  /** Usage of both replies; undefined if the provider did not report it. */
  readonly usage: { input: number; output: number } | undefined;
  readonly cost: number | undefined;
  /** Whether both came from the ledger. */
  readonly known: boolean;

  constructor(
    problem: Reason,
    reply: string,
    { usage, cost, known }: Pick<InvalidReplyError, 'usage' | 'cost' | 'known'>,
  ) {
    super(modelSentences.REPLY_UNFIT.reason({ why: problem }));
    this.problem = problem;
    this.reply = reply;
    this.usage = usage;
    this.cost = cost;
    this.known = known;
  }
}
