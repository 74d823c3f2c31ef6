import type { IncomingMessage } from 'node:http';
import { errors, invalid } from '../kernel/errors.ts';
import { freeBytes } from '../kernel/spent-bytes.ts';
import { parseBoundary } from './multipart-headers.ts';
import { createMultipartParser, type FormHandler, type MultipartLimits } from './multipart-parser.ts';
import { discardRest } from './unread-body.ts';

const defaultLimits: MultipartLimits = { parts: 1_000, headerBytes: 16_384, fieldBytes: 1_048_576 };

/** Takes a whole form and makes an answer of it, or forgets what it was given. */
export type FormReception<Answer> = FormHandler & {
  readonly maxParts: number;
  finish(): Promise<Answer>;
  abort(): Promise<void>;
};

/** Reads a form into a reception; one that is refused or breaks off is aborted, and throws what `readMultipart` throws. */
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
 * Reads a multipart/form-data request, handing its parts to `handler` as they arrive, no faster than the sinks take them.
 * Rejects with UNSUPPORTED_MEDIA_TYPE, INVALID_PARAMETER (malformed, truncated or cut off) or what the handler throws; the
 * handler's owner then forgets what it was given. The rest of a refused body is discarded.
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
 * Hands the body of a request to `take` piece by piece, waiting whenever it gives a promise. Rejects with
 * INVALID_PARAMETER when the connection breaks off, and with what `take` throws; never while a promise of `take` is open.
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
      if (!ended) finish(invalid('body', 'broke off before its end'));
    };
    // An empty buffer lets the end through even while the request is paused.
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
