import type { CrawlBudget } from './crawl-budget.ts';
import type { HostTurns } from './host-turns.ts';
import { fetchOriginRules, type ControlFile, type OriginRules } from './origin-rules.ts';
import { isMissing, type PageRequests } from './page-requests.ts';

/** The rules of each origin, fetched once. */
export type KnownOrigins = {
  rulesOf(url: URL, signal: AbortSignal): Promise<OriginRules>;
};

export function createKnownOrigins({
  requests,
  budget,
  turns,
}: {
  requests: PageRequests;
  budget: CrawlBudget;
  turns: HostTurns;
}): KnownOrigins {
  const origins = new Map<string, Promise<OriginRules>>();

  /** Fetches a small file of a server that is not a page. */
  async function fetchControlFile(text: string, maxBytes: number, signal: AbortSignal): Promise<ControlFile> {
    const url = new URL(text);
    return turns.take(url.host, 0, async () => {
      const share = await budget.open(false);
      try {
        const call = { ...requests.callOf(url, Number.MAX_SAFE_INTEGER, signal), accepts: isMissing };
        const answer = await requests.send(call);
        const fetchedAt = new Date().toISOString();
        if (!answer.ok) {
          await requests.discard(answer, share);
          return { status: answer.status, text: null, fetchedAt };
        }
        const bytes = await requests.readBody(call, answer, { share, upTo: maxBytes });
        return { status: answer.status, text: new TextDecoder().decode(bytes), fetchedAt };
      } finally {
        share.close();
      }
    });
  }

  return {
    rulesOf({ origin }, signal) {
      const known = origins.get(origin);
      if (known !== undefined) return known;
      const rules = fetchOriginRules(origin, requests.robotsName, (url, maxBytes) =>
        fetchControlFile(url, maxBytes, signal),
      );
      rules.catch(() => origins.delete(origin));
      origins.set(origin, rules);
      return rules;
    },
  };
}
