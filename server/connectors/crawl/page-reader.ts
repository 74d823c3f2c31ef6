import { builtModule } from '../../kernel/built-modules.ts';
import { createSupervisedProcess, ProcessEnded, ProcessTimeout } from '../../processes/supervised-process.ts';
import { SourceError } from '../connector.ts';
import { sourceSentences } from '../sentences.ts';
import type { PageAnswer, PageWork, ReadPage, ReadSitemap } from './page-process.ts';

/** Time limit for one page. */
const answerMs = 30_000;
const memoryMib = 768;

/** Reads pages and sitemaps in a separate process, one after another; the first call starts it. */
export type PageReader = {
  /** Throws SourceError. */
  readPage(work: Omit<Extract<PageWork, { kind: 'page' }>, 'kind'>, signal: AbortSignal): Promise<ReadPage>;
  readSitemap(bytes: Uint8Array, signal: AbortSignal): Promise<ReadSitemap>;
  end(): void;
};

export function createPageReader(): PageReader {
  const { TMPDIR } = process.env;
  const reader = createSupervisedProcess<PageWork, PageAnswer>({
    module: builtModule(new URL('page-process.ts', import.meta.url)),
    setup: {},
    execArgv: [`--max-old-space-size=${memoryMib}`],
    // The service's settings are not passed on: they include its keys.
    env: TMPDIR === undefined ? {} : { TMPDIR },
    isFirstToGo: true,
  });
  let last: Promise<unknown> = Promise.resolve();

  async function ask(work: PageWork, signal: AbortSignal): Promise<PageAnswer> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    try {
      return await reader.ask(work, { signal, timeoutMs: answerMs });
    } catch (error) {
      if (error instanceof ProcessTimeout)
        throw new SourceError(sourceSentences.PAGE_TOO_SLOW.reason({ seconds: answerMs / 1000 }), { cause: error });
      if (error instanceof ProcessEnded)
        throw new SourceError(sourceSentences.PAGE_READER_ENDED.reason({ mib: memoryMib }), {
          cause: error,
        });
      throw error;
    } finally {
      resolve();
    }
  }

  return {
    end: reader.end,
    async readPage(work, signal) {
      const answer = await ask({ kind: 'page', ...work }, signal);
      if ('page' in answer) return answer.page;
      throw new SourceError(
        sourceSentences.WEB_PAGE_UNREADABLE.reason({ why: 'problem' in answer ? answer.problem : '' }),
      );
    },
    async readSitemap(bytes, signal) {
      const answer = await ask({ kind: 'sitemap', bytes }, signal);
      if ('sitemap' in answer) return answer.sitemap;
      throw new SourceError(
        sourceSentences.SITEMAP_UNREADABLE.reason({ why: 'problem' in answer ? answer.problem : '' }),
      );
    },
  };
}
