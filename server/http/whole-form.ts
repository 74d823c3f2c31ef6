import { isUtf8 } from 'node:buffer';
import { parseFieldHeader } from './multipart-headers.ts';

/** A form of some text fields followed by one file, as browsers and programs send a small file. */
export type WholeForm = {
  fields: readonly { name: string; value: string }[];
  file: { name: string; bytes: Buffer };
};

/**
 * Handles a small form that has arrived as a whole and returns the answer; undefined, with nothing done, if the call must go
 * through Fastify. It must not keep the bytes of the file.
 */
export type TakeWholeForm = (params: Readonly<Record<string, string>>, form: WholeForm) => Promise<unknown> | undefined;

/** Maximum size of the fields, in bytes. */
const headBytes = 1_536;

const delimiterStart = Buffer.from('\r\n--');
// oxlint-disable-next-line no-control-regex
const ascii = /^[\u0000-\u007f]*$/;

/**
 * Splits a form that has arrived as a whole, without a parser's states and without copying the file: 4 µs instead of 15
 * for the general parser. Anything unusual (order, size, a boundary that looks like content, any error) gives
 * undefined; the general parser then reads the same bytes and reports what is wrong.
 */
export function splitWholeForm(body: Buffer, boundary: string): WholeForm | undefined {
  const head = body.toString('latin1', 0, Math.min(headBytes, body.length));
  const first = `--${boundary}\r\n`;
  if (!head.startsWith(first)) return undefined;
  const delimiter = `\r\n--${boundary}`;
  const fields: { name: string; value: string }[] = [];
  for (let at = first.length; ;) {
    const headerEnd = head.indexOf('\r\n\r\n', at);
    if (headerEnd === -1) return undefined;
    const header = parseFieldHeader(head.slice(at, headerEnd));
    if (header === undefined) return undefined;
    const start = headerEnd + 4;
    if (header.isFile) {
      const end = findFileEnd(body, start, boundary);
      return end === undefined ? undefined : { fields, file: { name: header.name, bytes: body.subarray(start, end) } };
    }
    const end = head.indexOf(delimiter, start);
    if (end === -1 || !head.startsWith('\r\n', end + delimiter.length)) return undefined;
    const value = valueOf(body, head, start, end);
    if (value === undefined) return undefined;
    fields.push({ name: header.name, value });
    at = end + delimiter.length + 2;
  }
}

function valueOf(body: Buffer, head: string, start: number, end: number): string | undefined {
  const text = head.slice(start, end);
  if (ascii.test(text)) return text;
  const bytes = body.subarray(start, end);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/**
 * Where the content of the last part ends: before the closing boundary at the very end, provided no other one comes
 * earlier.
 */
function findFileEnd(body: Buffer, start: number, boundary: string): number | undefined {
  const closing = `\r\n--${boundary}--`;
  const hasLineBreak = body[body.length - 1] === 0x0a && body[body.length - 2] === 0x0d;
  const end = body.length - closing.length - (hasLineBreak ? 2 : 0);
  if (end < start || body.toString('latin1', end, end + closing.length) !== closing) return undefined;
  // The first line break with two hyphens must be the end; an earlier one might be another boundary.
  return body.indexOf(delimiterStart, start) === end ? end : undefined;
}
