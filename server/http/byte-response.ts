import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { concatenate, type BytePart, type ByteSource, type ByteStream } from '../kernel/byte-source.ts';
import { defineErrors } from '../kernel/errors.ts';
import { createSendBufferPool } from './send-buffer-pool.ts';
import { openPump } from './byte-pump.ts';
import { ifRangeHolds, matchHolds, noneMatchHolds, parseRange, type ByteRange } from './byte-range.ts';
import { attachmentOf } from './content-disposition.ts';
import { pathOf } from './error-answer.ts';

/** The content of a download. */
export type Content = {
  source: ByteSource;
  /** Strong entity tag without its quotes: equal only for equal bytes. */
  tag: string;
  contentType: string;
  /** File name for the client to save it; any text. */
  fileName: string;
  /** Further headers of every answer with this content. */
  headers?: Readonly<Record<string, string>>;
};

const contentErrors = defineErrors('content', {
  RANGE_NOT_SATISFIABLE: [
    'range-not-satisfiable',
    'The content has only {sizeBytes} bytes; ask for a range within them',
  ],
  PRECONDITION_FAILED: [
    'precondition-failed',
    'The content is not the one that If-Match names; fetch it without If-Match',
  ],
});

/** One pool for all downloads: it limits the memory of the process. */
const pool = createSendBufferPool();

/**
 * Answers a GET or HEAD with content: 200, 206, 304, or throws 412 and 416. Uploaded content never runs in a browser:
 * it is an attachment, with `nosniff`, in a sandbox. If the source fails midway, the connection is closed,
 * so that a damaged file never looks complete.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
): Promise<FastifyReply> {
  reply.headers(commonHeaders(content));
  const plan = planAnswer(request, reply, { ...content, contentType: mediaTypeOf(content.contentType) });
  if (request.method === 'HEAD' || plan.sizeBytes === 0) {
    reply.hijack();
    reply.raw.writeHead(plan.status, headersOf(reply, plan.headers)).end();
    return reply;
  }
  const pump = await openPump(await plan.open(), plan.sizeBytes, pool);
  reply.hijack();
  const response = reply.raw;
  response.writeHead(plan.status, headersOf(reply, plan.headers));
  try {
    await pump.run(response);
  } catch (error) {
    request.log.error({ requestId: request.id, path: pathOf(request), err: error }, 'a download broke off');
    response.destroy();
  }
  return reply;
}

type Answer = { status: number; headers: OutgoingHttpHeaders; sizeBytes: number; open(): Promise<ByteStream> };

/** Conditions and ranges in the order of RFC 9110 13.2.2. */
function planAnswer({ method, headers }: FastifyRequest, reply: FastifyReply, content: Content): Answer {
  const { source, tag } = content;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !matchHolds(ifMatch, tag)) throw contentErrors.PRECONDITION_FAILED();
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && noneMatchHolds(ifNoneMatch, tag))
    return { status: 304, headers: {}, sizeBytes: 0, open: () => source.open(0, 0) };
  const ifRange = headers['if-range'];
  const rangeCounts = method === 'GET' && (ifRange === undefined || ifRangeHolds(String(ifRange), tag));
  const asked = parseRange(rangeCounts ? (headers.range ?? '') : '', source.sizeBytes);
  if (asked.kind === 'unsatisfiable') {
    reply.header('content-range', `bytes */${source.sizeBytes}`);
    throw contentErrors.RANGE_NOT_SATISFIABLE({ sizeBytes: source.sizeBytes });
  }
  const ranges = asked.kind === 'ranges' ? asked.ranges : [];
  const [range] = ranges;
  if (range === undefined) return wholeAnswer(content);
  return ranges.length === 1 ? rangeAnswer(content, range) : multipartAnswer(content, ranges);
}

function wholeAnswer({ source, contentType }: Content): Answer {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'content-length': source.sizeBytes },
    sizeBytes: source.sizeBytes,
    open: () => source.open(0, source.sizeBytes),
  };
}

function rangeAnswer({ source, contentType }: Content, range: ByteRange): Answer {
  const sizeBytes = range.end - range.start;
  return {
    status: 206,
    headers: {
      'content-type': contentType,
      'content-length': sizeBytes,
      'content-range': contentRangeOf(range, source.sizeBytes),
    },
    sizeBytes,
    open: () => source.open(range.start, range.end),
  };
}

/** Several ranges as multipart/byteranges (RFC 9110 14.6). */
function multipartAnswer({ source, contentType }: Content, ranges: readonly ByteRange[]): Answer {
  const boundary = randomBytes(18).toString('hex');
  const parts = ranges.map((range) => ({
    range,
    head: Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: ${contentRangeOf(range, source.sizeBytes)}\r\n\r\n`,
    ),
  }));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const sizeBytes = parts.reduce((sum, { range, head }) => sum + head.length + range.end - range.start, tail.length);

  async function* bytes(): AsyncGenerator<BytePart> {
    for (const { range, head } of parts) {
      yield head;
      yield await source.open(range.start, range.end);
    }
    yield tail;
  }

  return {
    status: 206,
    headers: { 'content-type': `multipart/byteranges; boundary=${boundary}`, 'content-length': sizeBytes },
    sizeBytes,
    open: () => Promise.resolve(concatenate(bytes())),
  };
}

function contentRangeOf({ start, end }: ByteRange, sizeBytes: number): string {
  return `bytes ${start}-${end - 1}/${sizeBytes}`;
}

function commonHeaders({ tag, fileName, headers }: Content): Record<string, string> {
  return {
    etag: `"${tag}"`,
    'accept-ranges': 'bytes',
    'content-disposition': attachmentOf(fileName),
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    // Only the caller's own cache may store it, and must revalidate it each time.
    'cache-control': 'private, no-cache',
    ...headers,
  };
}

/** A media type that is valid in a header; any other stored text becomes application/octet-stream. */
function mediaTypeOf(contentType: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w-]+=([\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

/** Headers that hooks have set (request id, rate limits) and those of the answer. */
function headersOf(reply: FastifyReply, own: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return { ...(reply.getHeaders() as OutgoingHttpHeaders), ...own };
}
