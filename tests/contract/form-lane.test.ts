import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { pino } from 'pino';
import { forAnyDatabase } from '../support/databases.ts';
import { startApp } from '../support/server.ts';
import { chunkParts, toForm, type ChunkFields } from './form-data.ts';

type Answer = { head: string; body: string };

/** A chunk call over its own connection: in one piece, as small files arrive, or with a pause after its headers. */
async function sendChunk(
  url: string,
  token: string,
  dataset: string,
  fields: ChunkFields,
  pauseMs: number,
): Promise<Answer> {
  const { contentType, body } = toForm(chunkParts(fields), 'soil');
  const path = `/api/v1/data-management/datasets/${dataset}/files/upload/chunk`;
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: tilth\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (piece: Buffer) => received.push(piece));
  await once(socket, 'connect');
  if (pauseMs === 0) socket.write(Buffer.concat([head, body]));
  else {
    socket.write(head);
    await pause(pauseMs);
    socket.write(body);
  }
  await once(socket, 'close');
  const text = Buffer.concat(received).toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  return { head: text.slice(0, end), body: text.slice(end + 4) };
}

/** Removes what differs between calls: ids of requests, uploads, datasets and files, and times. */
function withoutOwn(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/x-request-id: [0-9a-z-]+/g, 'x-request-id: ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/Date: [^\r]+/gi, 'Date: TIME')
    .replace(/x-ratelimit-reset: \d+/g, 'x-ratelimit-reset: TIME');
}

forAnyDatabase(
  'a small chunk in one piece is answered, byte for byte, as one that comes in two',
  async (t, _open, database) => {
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const { api, url, token } = await startApp(t, {
      database,
      logger: pino({ base: null }, stream),
      settings: { TILTH_RATE_LIMIT_PER_MINUTE: '1000' },
    });
    const content = Buffer.from('loam, silt and clay');
    const checkSumHex = crc32(content).toString(16).padStart(8, '0');
    const file = { fileNo: 0, fileName: 'fields/高粱.txt', totalChunkNum: 1, chunkNo: 1, bytes: content, checkSumHex };
    // Sent one after the other; each call changes the state for the next.
    const calls: Record<string, Partial<ChunkFields>> = {
      'a new file': {},
      'the same once more': {},
      'its number with other bytes': { bytes: 'sand', checkSumHex: crc32('sand').toString(16).padStart(8, '0') },
      'a wrong checksum': { fileNo: 1, checkSumHex: '00000000' },
      'no checksum, the path that is there': { fileNo: 2, checkSumHex: undefined as never },
      'a folder’s path': { fileNo: 3, fileName: 'fields' },
      'an empty file': { fileNo: 4, fileName: 'empty', bytes: '', checkSumHex: '00000000' },
      'a path that leaves the dataset': { fileNo: 5, fileName: '../up' },
      'too many bytes': { fileNo: 6, fileName: 'more', bytes: Buffer.alloc(5_000), checkSumHex: undefined as never },
      'the last file': { fileNo: 7, fileName: 'last.csv' },
      'one file too many': { fileNo: 8, fileName: 'beyond.csv' },
      'an upload that is not there': { reqId: 'none' },
    };
    const ways = await Promise.all(
      [0, 30].map(async (pauseMs) => {
        const { body } = await api('POST', '/data-management/datasets', { name: `Way ${pauseMs}`, type: 'TEXT' });
        const dataset = String(body['id']);
        const announced = { totalFileNum: 3, totalSize: 4_000, onConflict: 'ERROR' };
        const answer = await api<string>(
          'POST',
          `/data-management/datasets/${dataset}/files/upload/pre-upload`,
          announced,
        );
        return { pauseMs, dataset, reqId: answer.body };
      }),
    );
    for (const [name, fields] of Object.entries(calls)) {
      const [whole, inPieces] = await Promise.all(
        ways.map(async ({ pauseMs, dataset, reqId }) => {
          const { head, body } = await sendChunk(url, token, dataset, { reqId, ...file, ...fields }, pauseMs);
          const requestId = /x-request-id: (\S+)/.exec(head)?.[1];
          const {
            time: _time,
            durationMs: _duration,
            ...line
          } = lines.find((entry) => entry['requestId'] === requestId && entry['msg'] === 'request') ?? {};
          const remaining = /x-ratelimit-remaining: (\d+)/.exec(head)?.[1];
          const plainHead = head.replace(/x-ratelimit-remaining: \d+/, '');
          assert.ok(remaining !== undefined);
          return {
            head: withoutOwn(plainHead),
            body: withoutOwn(body),
            line: withoutOwn(JSON.stringify(line)).replace(requestId ?? '', 'ID'),
          };
        }),
      );
      assert.deepEqual(whole, inPieces, name);
    }
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const counted = (await metrics.text())
      .split('\n')
      .filter((line) => /^tilth_http_request_duration_seconds_count\{.*upload\/chunk"/.test(line))
      .map((line) => Number(line.split(' ').at(-1)));
    assert.equal(
      counted.reduce((sum, count) => sum + count, 0),
      2 * Object.keys(calls).length,
    );
    for (const { dataset } of ways) {
      const { body } = await api('GET', `/data-management/datasets/${dataset}/files?sort=filePath,asc`);
      const content = body['content'] as { filePath: string }[];
      assert.deepEqual(content.map(({ filePath }) => filePath).sort(), ['empty', 'fields/高粱.txt', 'last.csv']);
    }
  },
);
