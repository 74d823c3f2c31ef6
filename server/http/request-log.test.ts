import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino, type Logger } from 'pino';
import { logRequest, type RequestLine } from './request-log.ts';

const line: RequestLine = {
  requestId: '0190a5b0-7c1e-7000-8000-1234567890ab',
  method: 'GET',
  route: '/api/v1/data-management/datasets/:datasetId',
  path: '/api/v1/data-management/datasets/1',
  status: 200,
  durationMs: 1.234,
  user: 'admin',
  address: '127.0.0.1',
};

const hostile = [
  'quote " and \\ backslash',
  'a line\nand another\r\n{"level":60}',
  'nul \0, escape \u001b[2J, delete \u007f',
  'Grüße, 数据, 🌱',
  'x'.repeat(2000) + '"\n',
  '',
];

function createLines(bindings?: Record<string, unknown>): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const logger = pino(
    { base: bindings ?? null, timestamp: () => ',"time":"2026-11-22T08:00:00.000Z"' },
    { write: (text: string) => void lines.push(text) },
  );
  return { logger, lines };
}

test('the line of a request is byte for byte what the logger would write', () => {
  const requests = [
    line,
    { ...line, user: undefined, status: 499, durationMs: 0 },
    ...hostile.flatMap((text) => [
      { ...line, path: text },
      { ...line, user: text, requestId: text },
      { ...line, method: text, route: text, address: text },
    ]),
  ];
  for (const bindings of [undefined, { pid: 7, name: 'a "name"' }])
    for (const request of requests) {
      const { logger, lines } = createLines(bindings);
      logger.info(request, 'request');
      logRequest(logger, request, 'request');
      assert.equal(lines[1], lines[0]);
    }
});

test('whatever a client sends, its request stays one line', () => {
  for (const text of hostile) {
    const { logger, lines } = createLines();
    logRequest(logger, { ...line, path: text, user: text }, text);
    const [written = ''] = lines;
    assert.equal(lines.length, 1);
    assert.equal(written.indexOf('\n'), written.length - 1);
    const { path, user, msg } = JSON.parse(written) as { path: string; user: string; msg: string };
    assert.deepEqual({ path, user, msg }, { path: text, user: text, msg: text });
  }
});
