import { ReasonedError } from '../../kernel/reasoned-error.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
import { sourceSentences } from '../sentences.ts';

/** Limits of a crawl, which all parts of its run share. */
export type CrawlLimits = { maxPages: number; maxBytes: number; maxSeconds: number };

/** What a run has used or reserved for requests in progress. */
export type Spent = { pages: number; bytes: number; ms: number };

/** One request with its share of the budget. */
export type Share = {
  /** Counts received bytes. Throws BudgetEnded if they exceed the budget: they must not be used. */
  receive(bytes: number): Promise<void>;
  /** Throws BudgetEnded if an announced body does not fit; the crawl continues with smaller ones. */
  expect(bytes: number): void;
  /** Counts what may have arrived of a body that is not read, of an announced or unknown size. */
  cut(bytes: number | undefined): void;
  /** Returns the unused rest to the budget. */
  close(): void;
};

export type CrawlBudget = {
  /** Why nothing more is fetched; undefined while the crawl continues. */
  readonly ended: Reason | undefined;
  /** Aborted when the time limit is reached. */
  readonly deadline: AbortSignal;
  readonly msLeft: number;
  /** Whether the time limit is reached, which ends the crawl. */
  readonly isLate: boolean;
  /** Opens a share for a page, or for a file that is no page, such as robots.txt. Throws BudgetEnded. */
  open(isPage: boolean): Promise<Share>;
  /** Throws BudgetEnded if the time limit is reached. */
  checkTime(): void;
  end(): void;
};

/** The budget does not allow a request; the message becomes the item's reason. */
export class BudgetEnded extends ReasonedError {
  override readonly name = 'BudgetEnded';
}

const firstShareBytes = 256 * 1024;
const furtherBytes = 1024 * 1024;
/** What is counted for a body of unknown size that is not read: such answers are mostly short, or empty. */
const unknownBytes = 1024;
/** How often the used time is stored, and how far ahead of the clock. */
const timeStepMs = 1000;
const timeAheadMs = 1500;

/**
 * Budgets that hold in any case: a share is reserved and stored before its request is sent, so that parallel requests
 * can not exceed the budget together, and a killed run counts what it had begun.
 */
export function createCrawlBudget(
  { maxPages, maxBytes, maxSeconds }: CrawlLimits,
  { before, store }: { before: Spent | undefined; store(spent: Spent): Promise<void> },
): CrawlBudget {
  const maxMs = maxSeconds * 1000;
  const msBefore = before?.ms ?? 0;
  const begun = performance.now();
  const late = new AbortController();
  let pages = before?.pages ?? 0;
  let bytes = before?.bytes ?? 0;
  let shares = 0;
  const waiting: (() => void)[] = [];
  let ended: Reason | undefined;
  const msUsed = (): number => msBefore + performance.now() - begun;
  const timer = setTimeout(() => late.abort(), Math.max(0, maxMs - msBefore));
  const beat = setInterval(() => void save().catch(() => {}), timeStepMs);

  function save(): Promise<void> {
    return store({ pages, bytes, ms: Math.ceil(msUsed() + timeAheadMs) });
  }

  function finish(reason: Reason): never {
    ended ??= reason;
    throw new BudgetEnded(reason);
  }

  function isLate(): boolean {
    const isOver = late.signal.aborted || msUsed() >= maxMs;
    if (isOver) ended ??= sourceSentences.BUDGET_SECONDS.reason({ count: maxSeconds });
    return isOver;
  }

  function checkTime(): void {
    if (isLate()) throw new BudgetEnded(sourceSentences.BUDGET_SECONDS.reason({ count: maxSeconds }));
  }

  /** Reserves at once what it grants: several requests may wait for the same rest. */
  async function reserveFirst(): Promise<number> {
    for (;;) {
      if (bytes < maxBytes) {
        const granted = Math.min(firstShareBytes, maxBytes - bytes);
        bytes += granted;
        shares += 1;
        return granted;
      }
      if (shares === 0) finish(sourceSentences.BUDGET_BYTES.reason({ count: maxBytes }));
      // Waits for other shares to return what they reserved and did not use.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  return {
    get ended() {
      return ended;
    },
    deadline: late.signal,
    get msLeft() {
      return Math.max(0, maxMs - msUsed());
    },
    get isLate() {
      return isLate();
    },
    checkTime,
    async open(isPage) {
      checkTime();
      if (isPage && pages >= maxPages) finish(sourceSentences.BUDGET_PAGES.reason({ count: maxPages }));
      if (isPage) pages += 1;
      let granted = await reserveFirst();
      let received = 0;
      let isOpen = true;
      await save();
      return {
        async receive(size) {
          if (received + size > granted) {
            const missing = received + size - granted;
            const left = maxBytes - bytes;
            if (missing > left) received = granted;
            if (missing > left && shares > 1)
              throw new BudgetEnded(sourceSentences.BUDGET_BYTES.reason({ count: maxBytes }));
            if (missing > left) finish(sourceSentences.BUDGET_BYTES.reason({ count: maxBytes }));
            const further = Math.min(Math.max(missing, furtherBytes), left);
            granted += further;
            bytes += further;
            await save();
          }
          received += size;
        },
        expect(size) {
          if (size - granted <= maxBytes - bytes) return;
          received = Math.max(received, Math.min(granted, size));
          throw new BudgetEnded(sourceSentences.BUDGET_LEFT.reason({ size, limit: maxBytes }));
        },
        cut(size = unknownBytes) {
          received = Math.max(received, Math.min(granted, size));
        },
        close() {
          if (!isOpen) return;
          isOpen = false;
          shares -= 1;
          bytes -= granted - received;
          for (const wake of waiting.splice(0)) wake();
        },
      };
    },
    end() {
      clearTimeout(timer);
      clearInterval(beat);
    },
  };
}
