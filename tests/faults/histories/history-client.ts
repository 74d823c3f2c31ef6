import assert from 'node:assert/strict';
import { patternBytes } from '../../support/blobs.ts';
import type { Outcome } from '../caller.ts';
import { createRandom } from '../random.ts';
import { sendChunk, type ChunkTarget } from './chunk-sending.ts';
import { createContents, type Contents } from './contents.ts';
import { names, type FilePlan, type Send, type Step } from './plan.ts';
import { judge, missingOf, sizeOf, type Sent, type Upload, type UploadFile } from './upload-model.ts';

export const sharedPath = 'shared/all.bin';

/** One upload to the path that all clients share, from start to end. */
export type SharedUpload = { bytes: Buffer; startedAt: number; endedAt: number };

/** A client that runs its steps in its own folder and knows the expected results. */
export type HistoryClient = {
  readonly contents: Contents;
  readonly shared: readonly SharedUpload[];
  play(step: Step): Promise<void>;
  /** Sends what is missing, and compares the status of each upload with the answers so far. */
  finish(options: { sendMissing: boolean }): Promise<void>;
};

type Range = { from: number; to: number };
type Status = {
  completedFiles: number;
  receivedBytes: number;
  completed: Range[];
  incomplete: { fileNo: number; receivedChunks: number; missingChunks: Range[] }[];
};
type Answer = Extract<Outcome, { kind: 'answer' }>;
type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>;

const plain: Pick<Send, 'kind' | 'checksum' | 'fileFirst' | 'part'> = {
  kind: 'good',
  checksum: 'none',
  fileFirst: false,
  part: 1,
};

export function createHistoryClient(target: ChunkTarget, number: number): HistoryClient {
  const { caller, datasetId } = target;
  const at = `/datasets/${datasetId}/files`;
  const folder = `client-${number}`;
  const contents = createContents();
  const uploads: Upload[] = [];
  const shared: SharedUpload[] = [];

  async function call(...parameters: Parameters<typeof caller.call>): Promise<Answer> {
    const outcome = await caller.call(...parameters);
    if (outcome.kind !== 'answer') throw new Error(`${parameters[0]} ${parameters[1]} had no answer (${outcome.kind})`);
    return outcome;
  }

  const pathOf = (index: number): string => `${folder}/${names[index] ?? ''}`;
  const pickUpload = (pick: number): Upload | undefined => uploads.at(-1 - (pick % Math.max(1, uploads.length)));
  const pickFile = (pick: number): string | undefined =>
    [...contents.files.keys()].sort()[pick % Math.max(1, contents.files.size)];

  async function begin({ mode, withPrefix, announced, files }: StepOf<'begin'>): Promise<void> {
    const planned = files.filter(
      ({ name }, index) => !files.slice(0, index).some((other) => areEntwined(other.name, name)),
    );
    const uploadFiles = planned.map((plan, index) => newFile(plan, index, withPrefix));
    const firstSize = planned[0]?.sizes[0] ?? 0;
    const chunkSize = announced && firstSize > 0 ? firstSize : undefined;
    const totalSize = sizeOf(uploadFiles.flatMap(({ chunks }) => chunks));
    const body = {
      totalFileNum: uploadFiles.length,
      totalSize,
      onConflict: mode,
      ...(withPrefix ? { prefix: folder } : {}),
      ...(chunkSize === undefined ? {} : { chunkSize }),
    };
    const answer = await call('POST', `${at}/upload/pre-upload`, { json: body });
    assert.equal(answer.status, 200);
    uploads.push({ reqId: answer.json() as string, mode, chunkSize, files: uploadFiles, abandoned: false });
  }

  /** The same bytes occur in many datasets, and each copy must outlive the others. */
  function newFile({ name, sizes }: FilePlan, index: number, withPrefix: boolean): UploadFile {
    const chunks = sizes.map((size, chunk) =>
      patternBytes(1 + number * 100 + uploads.length * 10 + index * 7 + chunk, size),
    );
    const fileName = withPrefix ? (names[name] ?? '') : pathOf(name);
    return { fileNo: index * 3, fileName, path: pathOf(name), chunks, kept: new Map(), completed: false };
  }

  /** All at the same time. */
  async function burst(upload: Upload, sends: readonly Send[]): Promise<void> {
    const calls = sends.flatMap((send) => {
      const file = upload.files[send.file % upload.files.length];
      if (file === undefined) return [];
      const chunkNo = 1 + (send.chunk % file.chunks.length);
      const right = file.chunks[chunkNo - 1] ?? Buffer.alloc(0);
      const bytes =
        send.kind === 'other-bytes' ? otherBytes(right, upload.chunkSize === undefined && chunkNo % 2 === 0) : right;
      const writers = send.kind === 'cut' ? 1 : send.writers;
      return Array.from({ length: writers }, () => sendOne(upload, file, chunkNo, bytes, send));
    });
    judge(upload, contents, await Promise.all(calls));
  }

  async function sendOne(
    upload: Upload,
    file: UploadFile,
    chunkNo: number,
    bytes: Buffer,
    send: typeof plain,
  ): Promise<Sent> {
    const { fileNo, fileName, chunks } = file;
    const fields = { reqId: upload.reqId, fileNo, fileName, totalChunkNum: chunks.length, chunkNo, bytes };
    return { file, chunkNo, bytes, kind: send.kind, answer: await sendChunk(target, fields, send) };
  }

  /** Sends everything missing, in random order, four at a time. */
  async function rest(upload: Upload, order: number): Promise<void> {
    const missing = upload.files.flatMap((file) => missingOf(file).map((chunkNo) => ({ file, chunkNo })));
    const queue = createRandom(order, 'rest').shuffle(missing).values();
    const sent: Sent[] = [];
    const work = async (): Promise<void> => {
      for (const { file, chunkNo } of queue)
        sent.push(await sendOne(upload, file, chunkNo, file.chunks[chunkNo - 1] ?? Buffer.alloc(0), plain));
    };
    await Promise.all([work(), work(), work(), work()]);
    judge(upload, contents, sent);
  }

  async function whole({ mode, files }: StepOf<'whole'>): Promise<void> {
    const items = files.map(({ name, size }, index) => ({
      path: pathOf(name),
      bytes: patternBytes(1 + number * 100 + index, size),
    }));
    const after = contents.copy();
    const placed: { path: string; bytes: Buffer }[] = [];
    for (const { path, bytes } of items) {
      const place = after.resolve(path, mode);
      if (place === undefined) break;
      after.put(place, { id: '', bytes });
      placed.push({ path: place, bytes });
    }
    const parts = items.map(({ path, bytes }) => ({ name: 'files', value: bytes, fileName: path }));
    const answer = await call('POST', `${at}/upload`, { form: [{ name: 'onConflict', value: mode }, ...parts] });
    const isTwice = mode !== 'RENAME' && new Set(items.map(({ path }) => path)).size < items.length;
    if (placed.length < items.length || isTwice) {
      assert.equal(answer.status, 409);
      return;
    }
    assert.equal(answer.status, 201, answer.bytes.toString());
    const told = answer.json() as { id: string; filePath: string }[];
    const standing = new Map(placed.map(({ path, bytes }) => [path, bytes]));
    assert.deepEqual(told.map(({ filePath }) => filePath).sort(), [...standing.keys()].sort());
    for (const { id, filePath } of told)
      contents.put(filePath, { id, bytes: standing.get(filePath) ?? Buffer.alloc(0) });
  }

  async function putShared({ size }: StepOf<'shared'>): Promise<void> {
    const bytes = patternBytes(5000 + number * 100 + shared.length, size);
    const startedAt = performance.now();
    const form = [{ name: 'files', value: bytes, fileName: sharedPath }];
    const answer = await call('POST', `${at}/upload`, { form });
    assert.equal(answer.status, 201, answer.bytes.toString());
    shared.push({ bytes, startedAt, endedAt: performance.now() });
  }

  async function compareStatus(upload: Upload): Promise<void> {
    const answer = await call('GET', `${at}/upload/${upload.reqId}`);
    if (upload.abandoned) {
      assert.equal(answer.status, 404);
      return;
    }
    const status = answer.json() as Status;
    const wasTold = new Set(numbersOf(status.completed));
    // A status request makes the service retry to place complete files.
    for (const file of upload.files) {
      if (file.completed || missingOf(file).length > 0 || file.chunks.length === 1) continue;
      const place = contents.resolve(file.path, upload.mode);
      assert.equal(
        wasTold.has(file.fileNo),
        place !== undefined,
        `${file.fileName} was whole, and its path free or not`,
      );
      if (place === undefined) continue;
      const id = await findId(place);
      contents.put(place, {
        id,
        bytes: Buffer.concat(file.chunks.map((_, index) => file.kept.get(index + 1) ?? Buffer.alloc(0))),
      });
      file.completed = true;
    }
    const begun = upload.files.filter((file) => !file.completed && file.kept.size > 0);
    assert.deepEqual(
      [...wasTold],
      upload.files.flatMap((file) => (file.completed ? [file.fileNo] : [])),
    );
    assert.deepEqual(
      status.incomplete.map(({ fileNo, receivedChunks, missingChunks }) => ({
        fileNo,
        receivedChunks,
        missing: numbersOf(missingChunks),
      })),
      begun.map((file) => ({ fileNo: file.fileNo, receivedChunks: file.kept.size, missing: missingOf(file) })),
    );
    assert.equal(status.receivedBytes, sizeOf(upload.files.flatMap((file) => [...file.kept.values()])));
  }

  async function findId(path: string): Promise<string> {
    const answer = await call('GET', `${at}?size=1000`);
    const { content } = answer.json() as { content: { id: string; filePath: string }[] };
    const file = content.find(({ filePath }) => filePath === path);
    assert.ok(file, `${path} was told to be complete and is not listed`);
    return file.id;
  }

  async function abandon(upload: Upload): Promise<void> {
    const { status } = await call('DELETE', `${at}/upload/${upload.reqId}`);
    assert.equal(status, upload.abandoned ? 404 : 204);
    upload.abandoned = true;
  }

  async function rename({ file, name }: StepOf<'rename'>): Promise<void> {
    const from = pickFile(file);
    const known = from === undefined ? undefined : contents.files.get(from);
    if (from === undefined || known === undefined) return;
    const to = pathOf(name);
    const isPossible = contents.canMove(from, to);
    const answer = await call('PATCH', `${at}/${known.id}`, { json: { filePath: to } });
    assert.equal(answer.status, isPossible ? 200 : 409, answer.bytes.toString());
    if (isPossible) contents.move(from, to);
  }

  async function remove({ file, purge }: StepOf<'remove'>): Promise<void> {
    const path = pickFile(file);
    const known = path === undefined ? undefined : contents.files.get(path);
    if (path === undefined || known === undefined) return;
    const { status } = await call('DELETE', `${at}/${known.id}${purge ? '?purge=true' : ''}`);
    assert.equal(status, 204);
    contents.remove(path);
  }

  async function changeFolder({ name, removed }: StepOf<'folder'>): Promise<void> {
    const path = pathOf(name);
    if (removed) {
      const isThere = contents.isFolder(path);
      const { status } = await call('DELETE', `${at}/directories?path=${encodeURIComponent(path)}`);
      assert.equal(status, isThere ? 204 : 404);
      if (isThere) contents.removeFolder(path);
      return;
    }
    const isPossible = contents.canMakeFolder(path);
    const cut = path.lastIndexOf('/');
    const json = { parentPrefix: path.slice(0, cut), directoryName: path.slice(cut + 1) };
    const { status } = await call('POST', `${at}/directories`, { json });
    assert.equal(status, isPossible ? 201 : 409);
    if (isPossible) contents.makeFolder(path);
  }

  async function playOnUpload(step: StepOf<'burst' | 'rest' | 'status' | 'abandon'>): Promise<void> {
    const upload = pickUpload(step.upload);
    if (upload === undefined) return;
    if (step.kind === 'burst') await burst(upload, step.sends);
    else if (step.kind === 'rest') await rest(upload, step.order);
    else if (step.kind === 'status') await compareStatus(upload);
    else await abandon(upload);
  }

  return {
    contents,
    shared,
    play(step) {
      switch (step.kind) {
        case 'begin':
          return begin(step);
        case 'whole':
          return whole(step);
        case 'shared':
          return putShared(step);
        case 'rename':
          return rename(step);
        case 'remove':
          return remove(step);
        case 'folder':
          return changeFolder(step);
        default:
          return playOnUpload(step);
      }
    },
    async finish({ sendMissing }) {
      for (const [index, upload] of uploads.entries()) {
        if (sendMissing) await rest(upload, index);
        await compareStatus(upload);
      }
    },
  };
}

/** Two files of one upload whose order would decide their results. */
function areEntwined(one: number, other: number): boolean {
  const [a, b] = [names[one] ?? '', names[other] ?? ''];
  const stem = (name: string): string => name.replace(/ \(\d+\)/, '');
  return stem(a) === stem(b) || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Never more bytes than the correct content: an upload accepts no more than was announced. */
function otherBytes(bytes: Buffer, shorter: boolean): Buffer {
  if (bytes.length === 0) return bytes;
  if (shorter) return bytes.subarray(0, bytes.length - 1);
  const other = Buffer.from(bytes);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  return other;
}

function numbersOf(ranges: readonly Range[]): number[] {
  return ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
}
