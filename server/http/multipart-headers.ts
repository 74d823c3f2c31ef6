import { isUtf8 } from 'node:buffer';
import { errors, invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';

/** The parsed headers of one part. */
export type PartHeader = {
  /** Name of the form field. */
  name: string;
  /** Present on file parts; as the client sent it, decoded. */
  fileName: string | undefined;
  contentType: string | undefined;
};

const maxKnownHeaders = 256;
const maxKnownHeaderLength = 128;
// Clients send the same few field headers with every call; a cache look-up costs a tenth of parsing.
const knownHeaders = new Map<string, PartHeader>();

/** Parses the header block of a part (without the empty line); throws INVALID_PARAMETER if it is malformed. */
export function parsePartHeader(block: Buffer): PartHeader {
  if (block.length > maxKnownHeaderLength) return parseBlock(block);
  const key = block.toString('latin1');
  const known = knownHeaders.get(key);
  if (known !== undefined) return known;
  const header = parseBlock(block);
  if (header.fileName === undefined && knownHeaders.size < maxKnownHeaders) knownHeaders.set(key, header);
  return header;
}

const plainType = /^multipart\/form-data; ?boundary=([0-9A-Za-z'+_\-.]{1,70})$/;

/** The header of a part in its usual form. */
export type PlainHeader = { name: string; isFile: boolean };

const plainHeader =
  /^Content-Disposition: form-data; name="([\w.-]{1,64})"(; filename="[^"\\%\u0080-\uffff\r\n]*")?(?:\r\nContent-Type: [\w.+/-]+)?$/;

/**
 * Parses the header block of a part (decoded as Latin-1) in its usual form; undefined for any other, which
 * `parsePartHeader` parses or refuses.
 */
export function parseFieldHeader(block: string): PlainHeader | undefined {
  const match = plainHeader.exec(block);
  return match?.[1] === undefined ? undefined : { name: match[1], isFile: match[2] !== undefined };
}

/** The boundary of a `Content-Type` header as nearly all clients write it; undefined for any other header. */
export function findPlainBoundary(contentType: string | undefined): string | undefined {
  return contentType === undefined ? undefined : plainType.exec(contentType)?.[1];
}

/** The boundary that a `Content-Type` header names; throws UNSUPPORTED_MEDIA_TYPE or INVALID_PARAMETER. */
export function parseBoundary(contentType: string | undefined): string {
  const plain = findPlainBoundary(contentType);
  if (plain !== undefined) return plain;
  const { value, parameters, repeated } = parseParameters(contentType ?? '');
  if (value.toLowerCase() !== 'multipart/form-data')
    throw errors.UNSUPPORTED_MEDIA_TYPE({ expected: 'multipart/form-data' });
  const boundary = parameters.get('boundary');
  if (boundary === undefined) throw invalid('Content-Type', parameterProblems.MUST_NAME_BOUNDARY.reason({}));
  if (repeated.has('boundary')) throw invalid('Content-Type', parameterProblems.NAMES_BOUNDARY_TWICE.reason({}));
  // RFC 2046, 5.1.1: 1 to 70 characters of this set, not ending with a space.
  if (!/^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/.test(boundary))
    throw invalid('Content-Type', parameterProblems.NAMES_INVALID_BOUNDARY.reason({}));
  return boundary;
}

function parseBlock(block: Buffer): PartHeader {
  if (!isUtf8(block)) throw invalid('body', parameterProblems.HAS_HEADERS_NOT_UTF8.reason({}));
  const headers = new Map<string, string>();
  for (const line of block.toString('utf8').split('\r\n')) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    if (colon <= 0) throw invalid('body', parameterProblems.HAS_MALFORMED_HEADER.reason({}));
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (encoding !== 'binary' && encoding !== '8bit' && encoding !== '7bit')
    throw invalid('body', parameterProblems.HAS_TRANSFER_ENCODING.reason({ encoding }));
  const { value, parameters } = parseParameters(headers.get('content-disposition') ?? '');
  if (value.toLowerCase() !== 'form-data') throw invalid('body', parameterProblems.HAS_NO_DISPOSITION.reason({}));
  const name = parameters.get('name');
  if (name === undefined) throw invalid('body', parameterProblems.HAS_NAMELESS_PART.reason({}));
  const extended = parameters.get('filename*');
  const plain = parameters.get('filename');
  return {
    name: unescapeName(name),
    fileName: extended === undefined ? plain && unescapeName(plain) : decodeExtended(extended),
    contentType: headers.get('content-type'),
  };
}

/** `value; a=b; c="d"`: RFC 9110 parameters; in quotes a backslash escapes only a quote or a backslash. */
function parseParameters(header: string): {
  value: string;
  parameters: Map<string, string>;
  repeated: Set<string>;
} {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  let at = header.indexOf(';');
  const value = (at === -1 ? header : header.slice(0, at)).trim();
  while (at !== -1 && at < header.length) {
    const equals = header.indexOf('=', at);
    if (equals === -1) break;
    const name = header
      .slice(at + 1, equals)
      .trim()
      .toLowerCase();
    let parameter: string;
    if (header[equals + 1] === '"') {
      const quoted = readQuoted(header, equals + 2);
      parameter = quoted.value;
      at = header.indexOf(';', quoted.end);
    } else {
      at = header.indexOf(';', equals);
      parameter = header.slice(equals + 1, at === -1 ? header.length : at).trim();
    }
    if (parameters.has(name)) repeated.add(name);
    parameters.set(name, parameter);
  }
  return { value, parameters, repeated };
}

/**
 * A quoted string after its opening quote. Old browsers sent `C:\folder\name` unescaped, so a backslash
 * before any character but a quote or a backslash is literal.
 */
function readQuoted(text: string, from: number): { value: string; end: number } {
  let value = '';
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') return { value, end: at + 1 };
    const next = text[at + 1];
    if (character === '\\' && (next === '"' || next === '\\')) {
      value += next;
      at++;
    } else {
      value += character;
    }
  }
  throw invalid('body', parameterProblems.HAS_OPEN_QUOTE.reason({}));
}

/** The HTML standard escapes exactly these three; any other percent sign is part of the name. */
function unescapeName(name: string): string {
  if (!name.includes('%')) return name;
  return name.replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** RFC 5987: `UTF-8''na%C3%AFve.txt`. */
function decodeExtended(value: string): string {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value);
  try {
    if (match?.[1] !== undefined) return decodeURIComponent(match[1]);
  } catch {
    // Falls through: the escapes are not valid UTF-8.
  }
  throw invalid('body', parameterProblems.HAS_MALFORMED_NAME.reason({}));
}
