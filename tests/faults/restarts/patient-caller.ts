import { setTimeout as pause } from 'node:timers/promises';
import type { Caller, Outcome } from '../caller.ts';

/** Repeats a call for up to `forMs` while the database is away. */
export function patient(caller: Caller, forMs: number): Caller {
  async function call(...[method, path, body]: Parameters<Caller['call']>): Promise<Outcome> {
    for (const deadline = performance.now() + forMs; ; await pause(100)) {
      const outcome = await caller.call(method, path, body);
      const mayBeAsked = method === 'GET' && (outcome.kind === 'cut' || isUnavailable(outcome));
      if (!mayBeAsked || performance.now() > deadline) return outcome;
    }
  }

  return {
    call,
    complaints: caller.complaints,
    async get(path, status = 200) {
      const outcome = await call('GET', path);
      if (outcome.kind !== 'answer') throw new Error(`GET ${path} had no answer (${outcome.kind})`);
      if (outcome.status !== status)
        throw new Error(`GET ${path} → ${outcome.status} ${outcome.bytes.toString('utf8', 0, 300)}`);
      return outcome;
    },
  };
}

function isUnavailable(outcome: Outcome): boolean {
  return outcome.kind === 'answer' && outcome.status === 503;
}
