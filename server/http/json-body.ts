import type { IncomingMessage } from 'node:http';
import { errors, invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { parseJsonText } from '../kernel/json-text.ts';

/** Largest JSON body of a route without `bodyLimit`. */
export const defaultJsonBytes = 64 * 1024;
export const maxJsonDepth = 32;
/**
 * Maximum number of values in any body: `JSON.parse` takes 60 ms and more for 1 MiB of short keys or small objects, and
 * 5 ms for this many values.
 */
export const maxJsonValues = 20_000;
const mebibyte = 1024 * 1024;
const readTimeoutMs = 30_000;
/** Up to this size a refused body is read to its end, so that the client sees the answer instead of a reset. */
const maxDiscardBytes = 8 * mebibyte;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads and parses a JSON body; undefined if it is empty. Throws INVALID_PARAMETER unless it is a JSON object or array in
 * UTF-8 of limited depth, PAYLOAD_TOO_LARGE beyond `maxBytes`. A body that takes longer than 30 s ends the connection.
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(request, maxBytes, 'The JSON body');
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

/** Reads a body that is kept in memory; throws like `readJsonBody`. */
export async function readBody(request: IncomingMessage, maxBytes: number, what: string): Promise<Buffer> {
  const tooLarge = (): Error => errors.PAYLOAD_TOO_LARGE({ what, limit: sizeInWords(maxBytes) });
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxDiscardBytes) throw tooLarge();
  const timer = setTimeout(() => request.destroy(), readTimeoutMs);
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxDiscardBytes) throw tooLarge();
      if (size <= maxBytes) parts.push(part);
    }
    if (size > maxBytes) throw tooLarge();
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  } catch (error) {
    // The client disconnected: nobody reads the answer, and the service did not fail.
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET')
      throw invalid('body', parameterProblems.ENDED_EARLY.reason({}));
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** `64 KiB`, `1 MiB`. */
export function sizeInWords(bytes: number): string {
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${Math.floor(bytes / 1024)} KiB`;
}

/** Parses the bytes of a JSON body; depth and number of values are checked before parsing. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalid('body', parameterProblems.IS_NO_UTF8.reason({}));
  }
  checkExtent(bytes);
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    throw invalid('body', parameterProblems.IS_NO_JSON.reason({ where: positionOf(error) }));
  }
  if (typeof value !== 'object' || value === null)
    throw invalid('body', parameterProblems.MUST_BE_JSON_BODY.reason({}));
  return value;
}

function positionOf(error: unknown): string {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  return position === undefined ? '' : ` at character ${position}`;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Throws for too much depth or too many values, without parsing. */
function checkExtent(bytes: Uint8Array): void {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === backslash) index++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) values++;
    else if (byte === 0x7b || byte === 0x5b) {
      values++;
      if (++depth > maxJsonDepth)
        throw invalid('body', parameterProblems.IS_NESTED_DEEPER.reason({ limit: maxJsonDepth }));
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  if (values > maxJsonValues)
    throw errors.PAYLOAD_TOO_LARGE({
      what: 'The JSON body',
      limit: `${maxJsonValues.toLocaleString('en')} values`,
    });
}
