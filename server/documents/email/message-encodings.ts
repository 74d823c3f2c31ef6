import { decodeWhole, type WholeText } from '../../encodings/decoded-text.ts';

/** Boundaries nest at most this deep; the parser of messages refuses more. */
const maxBoundaries = 200;

type Line = { start: number; end: number; next: number };
type Edit = { start: number; end: number; bytes: Uint8Array };

/**
 * Rewrites a message so that all of its text is UTF-8 and says so: raw bytes in headers, and text parts whose encoding
 * is not declared or declared wrongly. `take` is told of each text that had to be decoded. Other bytes stay.
 */
export function withUtf8Texts(message: Uint8Array, take: (whole: WholeText) => void): Uint8Array {
  const edits: Edit[] = [];
  const boundaries: string[] = [];
  const latin1 = Buffer.from(message.buffer, message.byteOffset, message.length);
  const isBoundary = ({ start, end }: Line): boolean => {
    if (message[start] !== 0x2d || message[start + 1] !== 0x2d) return false;
    const text = latin1.toString('latin1', start, end).trimEnd();
    return boundaries.some((boundary) => text === `--${boundary}` || text === `--${boundary}--`);
  };
  for (let at = 0; at < message.length;) {
    const head = { start: at, end: at };
    let line = lineAt(message, at);
    while (at < message.length && line.start !== line.end && !(at > head.start && isBoundary(line))) {
      at = line.next;
      line = lineAt(message, at);
    }
    head.end = at;
    const header = headerOf(message.subarray(head.start, head.end));
    if (header.boundary !== undefined && boundaries.length < maxBoundaries) boundaries.push(header.boundary);
    if (at < message.length && line.start === line.end) at = line.next;
    if (header.type === 'message/rfc822' && header.isPlain && at > head.start) continue;
    const body = { start: at, end: at };
    line = lineAt(message, at);
    while (at < message.length && !isBoundary(line)) {
      // The line end before a boundary belongs to it.
      body.end = line.end;
      at = line.next;
      line = lineAt(message, at);
    }
    if (at >= message.length) body.end = message.length;
    for (const edit of editsOf(message, head, header, body, take)) edits.push(edit);
    at = line.next;
  }
  return applied(message, edits);
}

type Header = {
  type: string;
  charset: string | undefined;
  boundary: string | undefined;
  encoding: string;
  /** Whether the body is written as it is, not in Base64 or Quoted-Printable. */
  isPlain: boolean;
  isAttachment: boolean;
};

function headerOf(bytes: Uint8Array): Header {
  const fields = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/\r?\n[ \t]+/g, ' ');
  const field = (name: string): string => new RegExp(`^${name}[ \\t]*:(.*)$`, 'im').exec(fields)?.[1]?.trim() ?? '';
  const type = field('content-type');
  const encoding = field('content-transfer-encoding').toLowerCase();
  const parameter = (name: string): string | undefined => {
    const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, 'i').exec(type);
    return found?.[1] ?? found?.[2];
  };
  return {
    type: (type.split(';', 1)[0] ?? '').trim().toLowerCase() || 'text/plain',
    charset: parameter('charset'),
    boundary: /^multipart\//i.test(type) ? parameter('boundary') : undefined,
    encoding,
    isPlain: !/base64|quoted-printable/.test(encoding),
    isAttachment: /^attachment\b/i.test(field('content-disposition')),
  };
}

function editsOf(
  message: Uint8Array,
  head: { start: number; end: number },
  header: Header,
  body: { start: number; end: number },
  take: (whole: WholeText) => void,
): Edit[] {
  const { type, charset, encoding, isAttachment } = header;
  const headBytes = message.subarray(head.start, head.end);
  const isRawHead = !isPlainUtf8(headBytes);
  // Header and body of a message that declares nothing are guessed together: each may be too short.
  const shared =
    charset === undefined && header.isPlain && isRawHead
      ? decodeWhole(message.subarray(head.start, body.end))
      : undefined;
  const rawHead = isRawHead ? (guessedAs(shared, headBytes) ?? decodeWhole(headBytes, [charset])) : undefined;
  if (rawHead !== undefined) take(rawHead);
  const isText = /^text\/(?:plain|html)\b/.test(type) && !isAttachment;
  const raw = isText ? decodedBody(message.subarray(body.start, body.end), encoding) : undefined;
  const whole =
    raw === undefined
      ? undefined
      : (guessedAs(shared, raw) ?? decodeWhole(raw, [charset, type === 'text/html' ? metaOf(raw) : undefined]));
  const isFine =
    whole === undefined ||
    raw === undefined ||
    (charset === undefined ? isPlainUtf8(raw) && !raw.includes(0x1b) : isRead(raw, charset, whole));
  if (isFine) return rawHead === undefined ? [] : [{ ...head, bytes: Buffer.from(rawHead.text) }];
  take(whole);
  const written = rewrittenHead(rawHead?.text ?? Buffer.from(headBytes).toString('utf8'), type);
  const text = Buffer.from(whole.text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  return [
    { ...head, bytes: Buffer.from(written) },
    { ...body, bytes: Buffer.from(text) },
  ];
}

/** A text in the encoding that was guessed for more than itself. */
function guessedAs(shared: WholeText | undefined, bytes: Uint8Array): WholeText | undefined {
  if (shared?.isGuess !== true || isPlainUtf8(bytes)) return undefined;
  return { ...shared, text: new TextDecoder(shared.encoding).decode(bytes) };
}

/** Whether the parser of messages reads the same text in the declared encoding. */
function isRead(bytes: Uint8Array, charset: string, { text }: WholeText): boolean {
  try {
    return new TextDecoder(charset.trim()).decode(bytes) === text;
  } catch {
    return false;
  }
}

function rewrittenHead(head: string, type: string): string {
  const kept = head.replaceAll(/^content-(?:type|transfer-encoding)[ \t]*:.*(?:\r?\n[ \t].*)*\r?\n?/gim, '');
  const flowed = /^content-type[ \t]*:(?:.*(?:\r?\n[ \t].*)*)\bformat\s*=\s*"?flowed/im.test(head)
    ? '; format=flowed'
    : '';
  return `${kept}Content-Type: ${type}; charset=utf-8${flowed}\r\nContent-Transfer-Encoding: base64\r\n`;
}

function metaOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  return /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([^"'\s;/>]+)/i.exec(start)?.[1];
}

function decodedBody(bytes: Uint8Array, encoding: string): Uint8Array {
  if (encoding.includes('base64')) return Buffer.from(Buffer.from(bytes).toString('latin1'), 'base64');
  if (!encoding.includes('quoted-printable')) return bytes;
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[ \t]*=[ \t]*\r?\n/g, '');
  const plain = text.replaceAll(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(plain, 'latin1');
}

function isPlainUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The line at an offset, and where the next one starts. */
function lineAt(bytes: Uint8Array, start: number): Line {
  const found = bytes.indexOf(0x0a, start);
  const next = found === -1 ? bytes.length : found + 1;
  const end = found === -1 ? next : found;
  return { start, end: end > start && bytes[end - 1] === 0x0d ? end - 1 : end, next };
}

function applied(message: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return message;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of edits) {
    parts.push(message.subarray(at, start), bytes);
    at = end;
  }
  return Buffer.concat([...parts, message.subarray(at)]);
}
