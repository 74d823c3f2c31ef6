import { builtModule } from '../kernel/built-modules.ts';
import { unavailable } from '../kernel/errors.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import { documentProblems, causesOfDelay } from '../kernel/sentences/index.ts';
import { passedMemoryLimit, wasKilled } from '../processes/child-limits.ts';
import { createProcessPool } from '../processes/process-pool.ts';
import { ProcessEnded, ProcessTimeout } from '../processes/supervised-process.ts';
import { findFullDisk } from '../tables/full-disk.ts';
import type { IndexedTable } from '../tables/views/index.ts';
import type { TextFacts } from './content-facts.ts';
import type { ContentAnswer, ContentLimits, ContentRequest } from './content-protocol.ts';

/** A content can't be counted; the message says why. */
export class ContentUncountable extends ReasonedError {
  override readonly name = 'ContentUncountable';
}

/**
 * Counts texts and pictures in a process that is killed if a content needs too much time or memory. All methods throw
 * ContentUncountable, UNAVAILABLE if the process is killed from outside, an error with the code ENOSPC, or the signal's
 * reason.
 */
export type ContentCounter = {
  countText(text: string, signal: AbortSignal): Promise<TextFacts>;
  /**
   * Counts the texts of a column, or at a path into the rows, of an indexed table; of several fields, it uses the one
   * with the most text.
   */
  countField(
    table: IndexedTable,
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<{ field: string; texts: TextFacts }>;
  countImage(
    image: Omit<ContentRequest & { kind: 'image' }, 'kind'>,
    signal: AbortSignal,
  ): Promise<{ width: number; height: number; format: string }>;
  close(): void;
};

const memoryBytes = 1 << 30;
/** Tables of any size are counted to the end; a single text or picture takes seconds. */
const tableTimeoutMs = 6 * 3_600_000;
const timeoutMs = 120_000;
const idleMs = 30_000;
/** Contents counted at the same time. */
const maxProcesses = 2;

export function createContentCounter({ directory }: { directory: string }): ContentCounter {
  const setup: ContentLimits = { memoryBytes, directory };
  const module = builtModule(new URL('content-process.ts', import.meta.url));
  const pool = createProcessPool<ContentRequest, ContentAnswer>({
    module,
    setup,
    idleMs,
    maxProcesses,
    isFirstToGo: true,
  });

  async function ask(request: ContentRequest, signal: AbortSignal): Promise<ContentAnswer> {
    const limit = request.kind === 'table' ? tableTimeoutMs : timeoutMs;
    try {
      const answer = await pool.ask(request, { signal, timeoutMs: limit });
      if ('problem' in answer) throw findFullDisk(answer.problem.text) ?? new ContentUncountable(answer.problem);
      return answer;
    } catch (error) {
      if (error instanceof ProcessTimeout)
        throw new ContentUncountable(documentProblems.READING_TAKES_LONG.reason({ seconds: limit / 1000 }), {
          cause: error,
        });
      if (!(error instanceof ProcessEnded)) throw error;
      if (wasKilled(error)) throw unavailable(causesOfDelay.COUNTER_ENDED.reason({}), 5, error);
      const why = passedMemoryLimit(error)
        ? documentProblems.READING_NEEDS_MEMORY.reason({ limit: memoryBytes >> 20 })
        : documentProblems.READER_CRASHED.reason({ why: error.signalName ?? `code ${error.exitCode}` });
      throw new ContentUncountable(why, { cause: error });
    }
  }

  return {
    async countText(text, signal) {
      const answer = await ask({ kind: 'text', text }, signal);
      if (!('texts' in answer)) throw new TypeError('An answer without texts');
      return answer.texts;
    },
    async countField(table, fields, signal) {
      const answer = await ask({ kind: 'table', table, fields }, signal);
      if (!('field' in answer)) throw new TypeError('An answer without a field');
      return answer;
    },
    async countImage(image, signal) {
      const answer = await ask({ kind: 'image', ...image }, signal);
      if (!('image' in answer)) throw new TypeError('An answer without a picture');
      return answer.image;
    },
    close: () => pool.close(),
  };
}
