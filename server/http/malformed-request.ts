import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { originalUrlOf, pathOfUrl, withoutBasePath } from './path-prefix.ts';
import { hasDataManagementErrors } from './error-answer.ts';

/** Node's error for bytes that are not an HTTP request; `rawPacket` is their last piece. */
export type ParseError = { code?: string | undefined; rawPacket?: unknown };

export type MalformedAnswers = {
  now: () => Date;
  newRequestId: () => string;
  basePath: string;
};

/**
 * Answers bytes that are not an HTTP request with an error that names the problem, in the shape of their path if one
 * was read, and closes the connection. The answer repeats nothing else of the bytes.
 */
export function createMalformedAnswers({ now, newRequestId, basePath }: MalformedAnswers) {
  return (error: ParseError, socket: Socket): void => {
    const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null };
    // The client would read a second answer after the start of another as part of it.
    if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent === true) {
      socket.destroy();
      return;
    }
    const url = response?.req === undefined ? urlOfFirstLine(error.rawPacket) : originalUrlOf(response.req);
    const servicePath = pathOfUrl(withoutBasePath(url, basePath));
    const path = url === '' ? '' : basePath + servicePath;
    const { status, sentence } = describe(error);
    const text = STATUS_CODES[status] ?? '';
    const timestamp = now().toISOString();
    const body = JSON.stringify(
      hasDataManagementErrors(servicePath)
        ? { error: 'INVALID_PARAMETER', message: sentence, errorParams: {}, timestamp, path }
        : {
            code: status,
            message: text,
            error: sentence,
            errorCode: 'INVALID_PARAMETER',
            errorParams: {},
            timestamp,
            path,
          },
    );
    socket.end(
      `HTTP/1.1 ${status} ${text}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `X-Request-Id: ${newRequestId()}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

/** The path in the first line of the bytes; empty if there is none. */
function urlOfFirstLine(packet: unknown): string {
  if (!Buffer.isBuffer(packet)) return '';
  return /^[A-Z][A-Z-]{0,19} (\/[!-~]{0,16000})(?=[ \r\n])/.exec(packet.toString('latin1'))?.[1] ?? '';
}

const tlsHandshake = 0x16;

const sentences: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: 'The request does not begin with a method of HTTP, as in: GET /path HTTP/1.1',
  HPE_INVALID_URL: 'The address holds a character that must be percent-encoded',
  HPE_INVALID_CONSTANT: 'The first line must be like: GET /path HTTP/1.1; a space in the path is written %20',
  HPE_INVALID_VERSION: 'The first line must end with HTTP/1.1 or HTTP/1.0 and CRLF',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be a number of bytes',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length must be given once, and not together with Transfer-Encoding',
  HPE_INVALID_TRANSFER_ENCODING: 'Transfer-Encoding must be chunked, and not given together with Content-Length',
  HPE_INVALID_CHUNK_SIZE:
    'The chunked body is malformed: each chunk begins with its size in hexadecimal digits and CRLF',
  HPE_INVALID_EOF_STATE: 'The connection ended in the middle of a request',
};

const headerFault = 'A header is malformed: each is a line NAME: VALUE that ends with CRLF, without control characters';

function describe({ code = '', rawPacket }: ParseError): { status: number; sentence: string } {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, sentence: 'The address and the headers together are larger than 16 KiB' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, sentence: 'The headers of the request did not arrive in time' };
  if (code === 'HPE_INVALID_METHOD' && Buffer.isBuffer(rawPacket) && rawPacket[0] === tlsHandshake)
    return {
      status: 400,
      sentence:
        'The client began with TLS, but this port speaks plain HTTP: use http://, or the proxy that takes https://',
    };
  const isHeader = /HEADER|(CR|LF)_EXPECTED/.test(code);
  const fallback = isHeader ? headerFault : 'The bytes that were sent are no valid HTTP request';
  return { status: 400, sentence: sentences[code] ?? fallback };
}
