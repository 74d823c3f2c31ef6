import type { IncomingMessage } from 'node:http';
import { errors, invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { freeBytes } from '../kernel/spent-bytes.ts';
import { parseBoundary } from './multipart-headers.ts';
import { createMultipartParser, type FormHandler, type MultipartLimits } from './multipart-parser.ts';
import { discardRest } from './unread-body.ts';

const defaultLimits: MultipartLimits = { parts: 1_000, headerBytes: 16_384, fieldBytes: 1_048_576 };

/** Receives a whole form and produces an answer, or discards what it received. */
export type FormReception<Answer> = FormHandler & {
  readonly maxParts: number;
  finish(): Promise<Answer>;
  abort(): Promise<void>;
};

/**
 * Reads a form into a reception. A refused or truncated form is aborted, and the errors of `readMultipart` are thrown.
 */
export async function receiveForm<Answer>(request: IncomingMessage, reception: FormReception<Answer>): Promise<Answer> {
  try {
    await readMultipart(request, reception, { parts: reception.maxParts });
  } catch (error) {
    await reception.abort();
    throw error;
  }
  return reception.finish();
}

/**
 * Reads a multipart/form-data request and passes its parts to `handler` as they arrive, no faster than the sinks accept
 * them. Rejects with UNSUPPORTED_MEDIA_TYPE, INVALID_PARAMETER (malformed or truncated) or the error of the handler;
 * the handler's owner must then discard what it received. The rest of a refused body is discarded.
 */
export async function readMultipart(
  request: IncomingMessage,
  handler: FormHandler,
  limits: Partial<MultipartLimits> = {},
): Promise<void> {
  try {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity')
      throw errors.UNSUPPORTED_MEDIA_TYPE({ expected: `the form without Content-Encoding, not as ${encoding}` });
    const boundary = parseBoundary(request.headers['content-type']);
    const length = request.headers['content-length'];
    const bodyBytes = length === undefined ? undefined : Number(length);
    const parser = createMultipartParser(boundary, handler, { ...defaultLimits, ...limits }, bodyBytes);
    const take = (chunk: Buffer): Promise<void> | undefined => {
      const free = (): void => {
        if (parser.isSpent) freeBytes(chunk);
      };
      const wait = parser.push(chunk);
      if (wait !== undefined) return wait.then(free);
      free();
      return undefined;
    };
    await readBody(request, take);
    parser.end();
  } catch (error) {
    discardRest(request);
    throw error;
  }
}

/**
 * Passes the body of a request to `take` piece by piece and waits for each promise that it returns. Rejects with
 * INVALID_PARAMETER when the connection breaks off, and with the error of `take`; never while a promise of `take` is
 * pending.
 */
export function readBody(request: IncomingMessage, take: (chunk: Buffer) => Promise<void> | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let busy = false;
    let ended = false;
    let failure: Error | undefined;

    const finish = (error?: Error): void => {
      if (error !== undefined) failure ??= error;
      if (busy) return;
      request.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak);
      if (failure === undefined) resolve();
      else reject(failure);
    };
    const onBreak = (): void => {
      if (!ended) finish(invalid('body', parameterProblems.BROKE_OFF.reason({})));
    };
    // An empty buffer lets `end` through even while the request is paused.
    const onEnd = (): void => {
      ended = true;
      finish();
    };
    const onData = (chunk: Buffer): void => {
      try {
        const wait = take(chunk);
        if (wait === undefined) return;
        busy = true;
        request.pause();
        wait.then(
          () => {
            busy = false;
            if (ended || failure !== undefined) finish();
            else request.resume();
          },
          (error: Error) => {
            busy = false;
            finish(error);
          },
        );
      } catch (error) {
        finish(error as Error);
      }
    };

    if (request.readableEnded || request.destroyed) {
      ended = request.readableEnded;
      if (ended) finish();
      else onBreak();
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}
