import type { IncomingMessage } from 'node:http';
import { errors, invalid } from '../kernel/errors.ts';

export const maxJsonBytes = 1024 * 1024;
export const maxJsonDepth = 32;
const readTimeoutMs = 30_000;
/** A body that is refused is still read to its end up to this size, so that the client sees the answer, not a reset. */
const maxDiscardBytes = 8 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads and parses a JSON body; undefined when it is empty. Throws INVALID_PARAMETER for what is no JSON object or array in
 * UTF-8 or is nested too deep, PAYLOAD_TOO_LARGE past 1 MiB. A body that takes longer than 30 s ends the connection.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(request);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxDiscardBytes) throw tooLarge();
  const timer = setTimeout(() => request.destroy(), readTimeoutMs);
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxDiscardBytes) throw tooLarge();
      if (size <= maxJsonBytes) parts.push(part);
    }
    if (size > maxJsonBytes) throw tooLarge();
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(): Error {
  return errors.PAYLOAD_TOO_LARGE({ what: 'The JSON body', limit: '1 MiB' });
}

/** Parses the bytes of a JSON body; the depth is checked before anything is built. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalid('body', 'is not valid UTF-8');
  }
  if (isDeeperThan(bytes, maxJsonDepth)) throw invalid('body', `is nested deeper than ${maxJsonDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('body', `is not valid JSON${positionOf(error)}`);
  }
  if (typeof value !== 'object' || value === null) throw invalid('body', 'must be a JSON object or array');
  // Only escapes can bring NUL or half a surrogate pair into a decoded string, and only this name can reach a prototype.
  if (text.includes('\\u') || text.includes('__proto__')) checkTree(value, '');
  return value;
}

function positionOf(error: unknown): string {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  return position === undefined ? '' : ` at character ${position}`;
}

const quote = 0x22;
const backslash = 0x5c;

function isDeeperThan(bytes: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === backslash) index++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

function checkTree(value: unknown, field: string): void {
  if (typeof value === 'string') checkText(value, field);
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) checkTree(item, `${field}[${index}]`);
  else if (typeof value === 'object' && value !== null) {
    const record = value as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      if (key === '__proto__') {
        delete record[key];
        continue;
      }
      checkText(key, field);
      checkTree(record[key], field === '' ? key : `${field}.${key}`);
    }
  }
}

/** Refuses what no database stores faithfully: NUL and lone surrogates. */
export function checkText(text: string, field: string): void {
  if (text.includes('\0')) throw invalid(field === '' ? 'body' : field, 'must not contain NUL');
  if (!text.isWellFormed()) throw invalid(field === '' ? 'body' : field, 'is not valid UTF-8');
}
