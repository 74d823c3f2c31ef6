import { createHash } from 'node:crypto';
import { toForm, type FormPart } from '../contract/form-data.ts';
import { exchange } from '../contract/http-exchange.ts';
import type { Stored } from './client-journal.ts';

/** Outcome of a call for its caller: an answer; unknown, when it was cut off; or certainty that it never began. */
export type Outcome =
  | { kind: 'answer'; status: number; bytes: Buffer; json(): unknown }
  | { kind: 'cut' }
  | { kind: 'unsent' };

export type CallBody = { json: unknown } | { form: readonly FormPart[] } | { bytes: Buffer; contentType: string };

/** Calls the service and expects any failure. */
export type Caller = {
  /** Path relative to `/api/v1/data-management`. */
  call(method: string, path: string, body?: CallBody): Promise<Outcome>;
  /** A call that must be answered with this status; anything else throws. */
  get(path: string, status?: number): Promise<Extract<Outcome, { kind: 'answer' }>>;
  /** Responses that no client may ever see, whatever fault the disk had. */
  readonly complaints: readonly string[];
};

/** The complaint about a 500: every fault in these tests is a fault of the disk. */
export const brokenService = 'blames the service for its disk';

/** Words that expose the inside of the service, or describe a fault in terms unknown to the client. */
const insides = /\n\s+at |node_modules|\.ts:\d|SQLITE|sqlite|ENOENT|EIO|ENOSPC|ECONN|connection_commits|\/blobs\//;

export type CallerOptions = {
  url: string;
  token: string;
  /**
   * Whether the disk is known to persist nothing, read before a call begins; `isPromise` says which answers are then
   * forbidden.
   */
  isDiskFailing?(): boolean;
  isPromise?(method: string, path: string, answer: Buffer): boolean;
  onAnswer?(method: string, path: string, status: number, answer: Buffer): void;
};

export function createCaller({ url, token, isDiskFailing, isPromise, onAnswer }: CallerOptions): Caller {
  const complaints: string[] = [];

  async function call(method: string, path: string, body?: CallBody): Promise<Outcome> {
    const sent = body === undefined ? undefined : encode(body);
    const isFailing = isDiskFailing?.() === true;
    try {
      const { status, headers, bytes } = await exchange({
        url,
        method,
        path: `/api/v1/data-management${path}`,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(sent === undefined ? {} : { 'Content-Type': sent.contentType }),
        },
        ...(sent === undefined ? {} : { body: sent.bytes }),
      });
      onAnswer?.(method, path, status, bytes);
      if (status === 503 && headers['retry-after'] === undefined)
        complaints.push(`${method} ${path} → 503 does not say when to try again`);
      if (status >= 400) complain(`${method} ${path} → ${status}`, headers['content-type'], bytes.toString('utf8'));
      else if (isFailing && isPromise?.(method, path, bytes) === true)
        complaints.push(`${method} ${path} → ${status}, although every sync had failed since before it began`);
      return { kind: 'answer', status, bytes, json: () => JSON.parse(bytes.toString('utf8')) as unknown };
    } catch (error) {
      if (isTooLate(error)) complaints.push((error as Error).message);
      return { kind: (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'unsent' : 'cut' };
    }
  }

  function complain(what: string, contentType: string | undefined, text: string): void {
    if (contentType?.startsWith('application/json') !== true)
      complaints.push(`${what} is not JSON: ${text.slice(0, 200)}`);
    else if (what.endsWith(' 500')) complaints.push(`${what} ${brokenService}: ${text.slice(0, 300)}`);
    else if (insides.test(text)) complaints.push(`${what} shows the inside of the service: ${text.slice(0, 300)}`);
  }

  return {
    call,
    complaints,
    async get(path, status = 200) {
      const outcome = await call('GET', path);
      if (outcome.kind !== 'answer') throw new Error(`GET ${path} had no answer (${outcome.kind})`);
      if (outcome.status !== status)
        throw new Error(`GET ${path} → ${outcome.status} ${outcome.bytes.toString('utf8', 0, 300)}`);
      return outcome;
    },
  };
}

export function storedOf(bytes: Buffer): Stored {
  return { sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message.includes('had no answer within');
}

function encode(body: CallBody): { contentType: string; bytes: Buffer } {
  if ('json' in body) return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body.json)) };
  if ('bytes' in body) return body;
  const form = toForm(body.form);
  return { contentType: form.contentType, bytes: form.body };
}
