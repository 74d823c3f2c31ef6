import assert from 'node:assert/strict';
import type { ChunkAnswer } from './chunk-sending.ts';
import type { Contents } from './contents.ts';
import type { ConflictMode, Send } from './plan.ts';

/** A file of an upload as its client knows it. */
export type UploadFile = {
  fileNo: number;
  /** Its path as sent, and its expected path. */
  fileName: string;
  path: string;
  chunks: readonly Buffer[];
  /** Acknowledged chunks, by number. */
  kept: Map<number, Buffer>;
  completed: boolean;
};

export type Upload = {
  reqId: string;
  mode: ConflictMode;
  chunkSize: number | undefined;
  files: readonly UploadFile[];
  abandoned: boolean;
};

/** A sent chunk with its answer; undefined when it was cut off. */
export type Sent = {
  file: UploadFile;
  chunkNo: number;
  bytes: Buffer;
  kind: Send['kind'];
  answer: ChunkAnswer | undefined;
};

const unplaceable = new Set(['FILE_ALREADY_EXISTS', 'DIRECTORY_ALREADY_EXISTS']);

export const sizeOf = (chunks: Iterable<Buffer>): number => [...chunks].reduce((sum, { length }) => sum + length, 0);

export const missingOf = ({ chunks, kept }: UploadFile): number[] =>
  chunks.map((_, index) => index + 1).filter((chunkNo) => !kept.has(chunkNo));

/**
 * Checks the answers to chunks sent at the same time against the contract, and derives the stored state from them: the
 * first whole copy of each chunk counts, an identical one is accepted, a different one is a conflict.
 */
export function judge(upload: Upload, contents: Contents, sent: readonly Sent[]): void {
  for (const [file, sends] of Map.groupBy(sent, (one) => one.file)) {
    if (upload.abandoned) {
      for (const { answer } of sends) if (answer !== undefined) assertAnswer(answer, 404, 'UPLOAD_NOT_FOUND');
      continue;
    }
    judgeFile(upload, contents, file, sends);
  }
}

function judgeFile(upload: Upload, contents: Contents, file: UploadFile, sends: readonly Sent[]): void {
  const place = file.completed ? undefined : contents.resolve(file.path, upload.mode);
  const isSingle = file.chunks.length === 1;
  // Under ERROR the first chunk is already refused if its path is taken.
  const isTaken = upload.mode === 'ERROR' && file.kept.size === 0 && contents.files.has(file.path);
  const isRefused = !file.completed && (isTaken || (isSingle && place === undefined));
  const accepted: Sent[] = [];
  for (const [chunkNo, group] of Map.groupBy(sends, (one) => one.chunkNo)) {
    const wellFormed = group.filter((one) => one.answer !== undefined && judgeForm(upload, one, isRefused));
    if (isRefused) for (const { answer } of wellFormed) assertUnplaceable(answer);
    else accepted.push(...judgeChunk(file, chunkNo, wellFormed));
  }
  if (file.completed || isRefused) {
    for (const { answer } of accepted) assertAnswer(answer, 200);
    return;
  }
  const isWhole = missingOf(file).length === 0;
  const completions = accepted.filter(({ answer }) => answer?.body.fileCompleted === true);
  const refusals = accepted.filter(({ answer }) => answer?.status === 409);
  if (!isWhole || accepted.length === 0) {
    assert.deepEqual([completions.length, refusals.length], [0, 0], `${file.fileName} is not complete`);
  } else if (place === undefined) {
    assert.equal(completions.length, 0, `${file.fileName} can't stand at ${file.path}`);
    assert.ok(refusals.length > 0, `nobody was told that ${file.fileName} can't stand at ${file.path}`);
  } else {
    assert.equal(refusals.length, 0, `${file.fileName} can stand at ${place}`);
    const told = completions[0]?.answer?.body.file;
    assert.ok(told, `nobody was told that ${file.fileName} is complete`);
    const bytes = Buffer.concat(file.chunks.map((_, index) => file.kept.get(index + 1) ?? Buffer.alloc(0)));
    assert.deepEqual([told.filePath, told.fileSize], [place, bytes.length]);
    contents.put(place, { id: told.id, bytes });
    file.completed = true;
  }
}

/** Whether the chunk was valid; an invalid one must be refused for that reason. */
function judgeForm(upload: Upload, { file, chunkNo, bytes, kind, answer }: Sent, isRefused: boolean): boolean {
  const announced = upload.chunkSize;
  const isLast = chunkNo === file.chunks.length;
  const fits = announced === undefined || (isLast ? bytes.length <= announced : bytes.length === announced);
  if (fits && kind !== 'bad-checksum') return true;
  if (isRefused && answer?.status === 409) assertUnplaceable(answer);
  else if (fits) assertAnswer(answer, 400, 'CHECKSUM_MISMATCH');
  else if (kind !== 'bad-checksum' || answer?.body.error !== 'CHECKSUM_MISMATCH')
    assertAnswer(answer, 400, 'INVALID_PARAMETER');
  return false;
}

/** Returns the calls whose bytes are those of the stored chunk, and remembers these bytes. */
function judgeChunk(file: UploadFile, chunkNo: number, group: readonly Sent[]): Sent[] {
  if (group.length === 0) return [];
  const isAccepted = ({ answer }: Sent): boolean => answer?.status === 200 || unplaceable.has(answer?.body.error ?? '');
  const accepted = group.filter(isAccepted);
  const bytes = file.kept.get(chunkNo) ?? accepted[0]?.bytes;
  assert.ok(bytes, `no writer of chunk ${chunkNo} was taken: ${JSON.stringify(group.map(({ answer }) => answer))}`);
  for (const one of group) {
    const isSame = one.bytes.equals(bytes);
    if (!isSame) assertAnswer(one.answer, 409, 'UPLOAD_CONFLICT');
    else assert.ok(isAccepted(one), `chunk ${chunkNo} → ${JSON.stringify(one.answer)}`);
  }
  file.kept.set(chunkNo, bytes);
  return accepted;
}

function assertAnswer(answer: ChunkAnswer | undefined, status: number, error?: string): void {
  assert.deepEqual([answer?.status, answer?.body.error], [status, error], JSON.stringify(answer));
}

function assertUnplaceable(answer: ChunkAnswer | undefined): void {
  assert.ok(answer?.status === 409 && unplaceable.has(answer.body.error ?? ''), JSON.stringify(answer));
}
