import { type Reason, foreign, runSentences } from '../kernel/sentences/index.ts';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ClusterProblem } from '../runs/index.ts';
import { redact } from '../secrets/index.ts';

export type RayAnswer = { status: number; body: string };

export type RayCalls = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<RayAnswer>;

const timeoutMs = 20_000;
const maxBytes = 64 * 1024 * 1024;
/** The last line of a traceback names the problem; the rest is in the log of the cluster. */
const maxReason = 500;

/** Calls the head of a Ray cluster. Uses Node's HTTP client, because Ray takes `fetch` for a browser and refuses it. */
export function createRayCalls({ url, token }: { url: string; token: string | undefined }): RayCalls {
  const root = url.replace(/\/+$/, '');
  const request = root.startsWith('https:') ? httpsRequest : httpRequest;

  function send(method: string, path: string, body: object | undefined): Promise<RayAnswer> {
    return new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const call = request(`${root}${path}`, {
        method,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': sent.length }),
        },
      });
      call.once('error', reject);
      call.once('response', (response) => {
        const pieces: Buffer[] = [];
        let size = 0;
        response.on('data', (piece: Buffer) => {
          size += piece.length;
          if (size > maxBytes) call.destroy(new Error(`it answers with more than ${maxBytes} bytes`));
          else pieces.push(piece);
        });
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString() });
        });
      });
      call.end(sent);
    });
  }

  return async (method, path, body) => {
    let answer: RayAnswer;
    try {
      answer = await send(method, path, body);
    } catch (error) {
      throw new ClusterProblem(reasonOf(error), { isRefusal: false, cause: error });
    }
    const { status } = answer;
    if (status < 300 || status === 404) return answer;
    // A proxy in between may echo the request, including the token.
    const told = redact(answer.body, token === undefined ? [] : [token]);
    const why = `${status} ${lastLine(told)}`.trim();
    throw new ClusterProblem(foreign(why), { isRefusal: isRefusal(answer), cause: told });
  };
}

/** Ray reports with 500 what its agents refuse with 400. */
function isRefusal({ status, body }: RayAnswer): boolean {
  return (status >= 400 && status < 500 && status !== 408 && status !== 429) || body.includes('status code 400');
}

function reasonOf(error: unknown): Reason {
  const { code, message, name } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError')
    return runSentences.CLUSTER_NO_ANSWER.reason({ seconds: timeoutMs / 1000 });
  return foreign(code === undefined || message.includes(code) ? message : `${message} (${code})`);
}

function lastLine(body: string): string {
  const lines = body.split('\n').map((line) => line.trim());
  return (lines.findLast((line) => line.length > 1) ?? '').slice(0, maxReason);
}
