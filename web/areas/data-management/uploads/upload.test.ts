import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, OfflineError } from '../../../api/errors.ts';
import type { Chunk, ChunkAnswer, SendChunk } from './chunk-sender.ts';
import type { FileGroup, SendFileGroup } from './file-group-sender.ts';
import { createUpload, type Upload, type UploadOptions } from './upload.ts';

const chunkBytes = 4;

/** A service that accepts and records chunks; `before` may refuse or delay one. */
function createService(before: (chunk: Chunk) => Promise<void> | void = () => {}) {
  const received = new Map<number, Map<number, string>>();
  const calls: string[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const send: SendChunk = async (chunk, signal, onProgress) => {
    calls.push(`${chunk.fileNo}.${chunk.chunkNo}`);
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    try {
      await new Promise((resolve) => setImmediate(resolve));
      await before(chunk);
      if (signal.aborted) throw new DOMException('paused', 'AbortError');
      onProgress(chunk.blob.size);
      const chunks = received.get(chunk.fileNo) ?? new Map<number, string>();
      chunks.set(chunk.chunkNo, await chunk.blob.text());
      received.set(chunk.fileNo, chunks);
      const fileCompleted = chunks.size === chunk.totalChunkNum;
      return {
        fileCompleted,
        ...(fileCompleted ? { file: { filePath: chunk.fileName } } : {}),
      } as ChunkAnswer;
    } finally {
      inFlight -= 1;
    }
  };
  const contentOf = (fileNo: number): string =>
    [...(received.get(fileNo) ?? [])]
      .sort(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join('');
  return { send, calls, contentOf, mostInFlight: () => mostInFlight };
}

function start(
  texts: readonly (string | undefined)[],
  options: Partial<UploadOptions> & Pick<UploadOptions, 'send'>,
): Upload {
  return createUpload({
    datasetId: 'd',
    reqId: 'r',
    chunkBytes,
    files: texts.map((text, index) => ({
      path: `f${index}`,
      sizeBytes: text?.length ?? 6,
      file: text === undefined ? undefined : new File([text], `f${index}`),
    })),
    checksums: { crc32: () => Promise.resolve('00000000') },
    renewSession: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    ...options,
  });
}

function refusal(status: number, code = 'X', retryAfterSeconds?: number): ApiError {
  return new ApiError({ status, code, message: `refused ${status}`, requestId: 'q', retryAfterSeconds });
}

/** At every moment, each file is in exactly one state and no byte is counted twice. */
function checkAccounts(upload: Upload): void {
  const { totalFiles, doneFiles, failedFiles, absentFiles, sentBytes, totalBytes } = upload.progress();
  const open = upload.files.filter(({ state }) => state === 'waiting' || state === 'sending').length;
  assert.equal(doneFiles + failedFiles + absentFiles + open, totalFiles);
  assert.ok(sentBytes >= 0 && sentBytes <= totalBytes, `${sentBytes} of ${totalBytes}`);
  assert.equal(doneFiles, upload.files.filter(({ state }) => state === 'done').length);
}

test('every chunk of every file is sent once, some at a time', async () => {
  const service = createService();
  const upload = start(['0123456789', '', 'abcd', 'xyz'], { send: service.send, parallel: 3 });
  upload.start();
  assert.equal(await upload.ended(), 'completed');
  assert.deepEqual(service.calls.toSorted(), ['0.1', '0.2', '0.3', '1.1', '2.1', '3.1']);
  assert.deepEqual([0, 1, 2, 3].map(service.contentOf), ['0123456789', '', 'abcd', 'xyz']);
  assert.equal(service.mostInFlight(), 3);
  const { doneFiles, sentBytes, totalBytes } = upload.progress();
  assert.deepEqual({ doneFiles, sentBytes, totalBytes }, { doneFiles: 4, sentBytes: 17, totalBytes: 17 });
  checkAccounts(upload);
});

test('what fails for a reason that may pass is sent again after the time that the service names', async () => {
  const waits: number[] = [];
  const errors = [refusal(429, 'RATE_LIMIT_EXCEEDED', 7), refusal(503), new OfflineError(), refusal(500)];
  const service = createService(() => {
    const error = errors.shift();
    if (error !== undefined) throw error;
  });
  const upload = start(['abcdef'], { send: service.send, parallel: 1, wait: async (ms) => void waits.push(ms) });
  upload.start();
  assert.equal(await upload.ended(), 'completed');
  assert.equal(service.contentOf(0), 'abcdef');
  assert.deepEqual(waits, [7000, 1000, 2000, 4000]);
  checkAccounts(upload);
});

test('a refused file fails alone with its reason, and can be taken up again', async () => {
  let refuse = true;
  const service = createService(({ fileNo }) => {
    if (fileNo === 1 && refuse) throw refusal(409, 'FILE_ALREADY_EXISTS');
  });
  const upload = start(['aaaa', 'bbbbbb', 'cc'], { send: service.send });
  upload.start();
  assert.equal(await upload.ended(), 'ended-with-failures');
  assert.deepEqual(
    upload.files.map(({ state }) => state),
    ['done', 'failed', 'done'],
  );
  assert.match(upload.files[1]?.error?.message ?? '', /refused 409/);
  checkAccounts(upload);
  refuse = false;
  upload.retry();
  assert.equal(await upload.ended(), 'completed');
  assert.equal(service.contentOf(1), 'bbbbbb');
  checkAccounts(upload);
});

test('an ended session is renewed and nothing is lost', async () => {
  let renewals = 0;
  const service = createService(({ chunkNo }) => {
    if (chunkNo === 2 && renewals === 0) throw refusal(401);
  });
  const upload = start(['abcdefgh', 'ij'], { send: service.send, renewSession: async () => void (renewals += 1) });
  upload.start();
  assert.equal(await upload.ended(), 'completed');
  assert.equal(renewals, 1);
  assert.equal(service.contentOf(0), 'abcdefgh');
});

test('a full storage pauses everything instead of failing file by file', async () => {
  let isFull = true;
  const service = createService(() => {
    if (isFull) throw refusal(507, 'INSUFFICIENT_STORAGE');
  });
  const upload = start(['abcd', 'efgh', 'ij'], { send: service.send, parallel: 2 });
  const paused = new Promise<void>((resolve) => {
    upload.subscribe(() => {
      if (upload.progress().state === 'paused') resolve();
    });
  });
  upload.start();
  await paused;
  assert.equal(upload.progress().failedFiles, 0);
  assert.match(upload.progress().problem?.message ?? '', /507/);
  isFull = false;
  upload.start();
  assert.equal(await upload.ended(), 'completed');
  assert.deepEqual([0, 1, 2].map(service.contentOf), ['abcd', 'efgh', 'ij']);
  checkAccounts(upload);
});

test('an upload that the service no longer knows ends', async () => {
  const service = createService(() => {
    throw refusal(404, 'UPLOAD_NOT_FOUND');
  });
  const upload = start(['abcd', 'efgh'], { send: service.send, parallel: 1 });
  upload.start();
  assert.equal(await upload.ended(), 'failed');
  assert.match(upload.progress().problem?.message ?? '', /404/);
});

test('paused, nothing more is sent; going on sends what is missing', async () => {
  const gate = Promise.withResolvers<void>();
  const service = createService(({ chunkNo }) => (chunkNo === 2 ? gate.promise : undefined));
  const upload = start(['0123456789ab'], { send: service.send, parallel: 1 });
  const reached = new Promise<void>((resolve) => {
    upload.subscribe(() => {
      if (upload.progress().sentBytes >= 4) resolve();
    });
  });
  upload.start();
  await reached;
  upload.pause();
  gate.resolve();
  assert.equal(upload.progress().state, 'paused');
  checkAccounts(upload);
  upload.start();
  assert.equal(await upload.ended(), 'completed');
  assert.equal(service.contentOf(0), '0123456789ab');
  assert.equal(upload.progress().sentBytes, 12);
});

test('after a reload only what is missing is sent, of files that were chosen again', async () => {
  const service = createService();
  const upload = start(['aaaa', 'bbbbbb', undefined], {
    send: service.send,
    received: new Map([
      [0, { done: true, missingChunks: [] }],
      [1, { done: false, missingChunks: [{ from: 2, to: 2 }] }],
    ]),
  });
  assert.deepEqual(
    upload.files.map(({ state }) => state),
    ['done', 'waiting', 'absent'],
  );
  assert.equal(upload.progress().sentBytes, 8);
  upload.start();
  assert.equal(await upload.ended(), 'ended-with-failures', 'one file is missing');
  assert.deepEqual(service.calls, ['1.2']);
  assert.equal(upload.provide([{ path: 'f2', file: new File(['short'], 'f2') }]), 0, 'another size is another file');
  assert.equal(upload.provide([{ path: 'f2', file: new File(['cccccc'], 'f2') }]), 1);
  upload.start();
  await upload.ended();
  assert.equal(service.contentOf(2), 'cccccc');
  assert.equal(upload.files[2]?.state, 'done');
  checkAccounts(upload);
});

/** A service that accepts small files together; `refuse` returns the reason to refuse one. */
function createGroupService(refuse: (fileNo: number) => Error | undefined = () => undefined) {
  const groups: number[][] = [];
  const sendGroup: SendFileGroup = async ({ files }: FileGroup, signal, onProgress) => {
    groups.push(files.map(({ fileNo }) => fileNo));
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new DOMException('paused', 'AbortError');
    onProgress(3);
    return {
      files: files.map(({ fileNo, fileName }) => ({ fileNo, storedPath: fileName, error: refuse(fileNo) })),
      warnings: [],
    };
  };
  return { sendGroup, groups };
}

test('small files go together, large ones alone, and one that is refused fails alone', async () => {
  const service = createService();
  const { sendGroup, groups } = createGroupService((fileNo) =>
    fileNo === 3 ? refusal(200, 'FILE_ALREADY_EXISTS') : undefined,
  );
  const texts = ['a', 'larger', 'b', 'c', '', 'd'];
  const upload = start(texts, { send: service.send, sendGroup, smallBytes: 2, parallel: 2 });
  upload.start();
  assert.equal(await upload.ended(), 'ended-with-failures');
  assert.deepEqual(groups, [[0, 2, 3, 4, 5]]);
  assert.deepEqual(service.calls.toSorted(), ['1.1', '1.2']);
  assert.deepEqual(
    upload.files.map(({ state }) => state),
    ['done', 'done', 'done', 'failed', 'done', 'done'],
  );
  checkAccounts(upload);
  upload.retry();
  await upload.ended();
  assert.deepEqual(service.calls.at(-1), '3.1', 'what is alone goes as a chunk');
  assert.equal(upload.progress().state, 'completed');
  assert.equal(upload.progress().sentBytes, upload.progress().totalBytes);
  checkAccounts(upload);
});

test('files whose call was refused are tried one by one; a passing failure repeats the call', async () => {
  const service = createService(({ fileNo }) => {
    if (fileNo === 1) throw refusal(400, 'INVALID_PARAMETER');
  });
  const failures = [refusal(503), refusal(400, 'INVALID_PARAMETER')];
  const { sendGroup: take, groups } = createGroupService();
  const sendGroup: SendFileGroup = async (...call) => {
    await take(...call);
    throw failures.shift() ?? new Error('not expected');
  };
  const upload = start(['a', 'b', 'c'], { send: service.send, sendGroup, parallel: 1 });
  upload.start();
  assert.equal(await upload.ended(), 'ended-with-failures');
  assert.deepEqual(groups, [
    [0, 1, 2],
    [0, 1, 2],
  ]);
  assert.deepEqual(service.calls.toSorted(), ['0.1', '1.1', '2.1']);
  assert.equal(upload.files[1]?.error?.message, 'refused 400');
  checkAccounts(upload);
});

test('many small files are bounded in number and bytes for each call', async () => {
  const { send } = createService();
  const { sendGroup, groups } = createGroupService();
  const upload = start(
    Array.from({ length: 450 }, (_, index) => String(index)),
    { send, sendGroup, parallel: 4 },
  );
  upload.start();
  assert.equal(await upload.ended(), 'completed');
  assert.deepEqual(
    groups.map(({ length }) => length),
    [200, 200, 50],
  );
  checkAccounts(upload);
});
