import type { Change, ClientJournal, Operation, Stored } from './client-journal.ts';
import { isSuccess, type Step, type StepContext, type StepEnd } from './steps.ts';

/** A file sent in chunks; all but the last have `chunkSize` bytes. */
export type ChunkedFile = {
  path: string;
  bytes: Buffer;
  chunkSize: number;
  /** Possible contents of the dataset once the last chunk is acknowledged. */
  outcomes: readonly Change[];
};

export type ChunkedUpload = {
  files: readonly ChunkedFile[];
  /** The order of the chunks, as [file, chunk from 1]. */
  order: readonly (readonly [file: number, chunkNo: number])[];
  hasArchive?: boolean;
};

type Status = {
  uploadCompleted: boolean;
  completed: { from: number; to: number }[];
  incomplete: { fileNo: number; missingChunks: { from: number; to: number }[] }[];
};

const atOnce = 3;

/**
 * A chunked upload by several senders, written as a careful client: after any failure it asks which chunks have arrived
 * and sends the missing ones. Throws when the service has lost an acknowledged chunk, unless `mayForgetChunks` allows
 * it because of a failed disk or a loss of power.
 */
export function chunkedUploadStep(upload: ChunkedUpload, { mayForgetChunks }: { mayForgetChunks(): boolean }): Step {
  const { files, order, hasArchive = false } = upload;
  let reqId: string | undefined;
  let interrupted = false;
  const state = files.map(() => ({
    sent: new Set<number>(),
    acknowledged: new Set<number>(),
    operation: undefined as Operation | undefined,
    completed: false,
  }));

  async function announce({ caller, datasetId }: StepContext): Promise<StepEnd> {
    const totalSize = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const json = { totalFileNum: files.length, totalSize, hasArchive };
    const outcome = await caller.call('POST', `/datasets/${datasetId}/files/upload/pre-upload`, { json });
    if (isSuccess(outcome)) reqId = outcome.json() as string;
    if (outcome.kind === 'cut') return 'unknown';
    return reqId === undefined ? 'refused' : 'done';
  }

  function begin(journal: ClientJournal, fileNo: number): Operation {
    const file = files[fileNo];
    return journal.begin(`upload of ${file?.path}`, ...(file?.outcomes ?? []));
  }

  /** Asks which chunks have arrived; returns those to send. */
  async function missing({ caller, datasetId, journal }: StepContext): Promise<(readonly [number, number])[]> {
    const status = (await caller.get(`/datasets/${datasetId}/files/upload/${reqId}`)).json() as Status;
    for (const [fileNo, file] of state.entries()) {
      const isComplete = isIn(fileNo, status.completed);
      if (file.completed && !isComplete) throw new Error(`File ${fileNo} was completed and is incomplete again`);
      if (isComplete) {
        if (!file.completed) begin(journal, fileNo).acknowledged();
        file.completed = true;
        continue;
      }
      const incomplete = status.incomplete.find((one) => one.fileNo === fileNo);
      for (const chunkNo of file.acknowledged) {
        if (incomplete !== undefined && !isIn(chunkNo, incomplete.missingChunks)) continue;
        if (!mayForgetChunks())
          throw new Error(`Chunk ${chunkNo} of ${files[fileNo]?.path} was acknowledged and is missing`);
        file.acknowledged.delete(chunkNo);
      }
    }
    return files.flatMap((_, fileNo) => {
      if (state[fileNo]?.completed === true) return [];
      const chunks = order.filter(([of]) => of === fileNo);
      const incomplete = status.incomplete.find((one) => one.fileNo === fileNo);
      const unsent = chunks.filter(
        ([, chunkNo]) => incomplete === undefined || isIn(chunkNo, incomplete.missingChunks),
      );
      // All chunks have arrived, but the file does not exist: repeat the call that should have completed it.
      return unsent.length > 0 ? unsent : chunks.slice(-1);
    });
  }

  async function send({ caller, datasetId, journal }: StepContext, fileNo: number, chunkNo: number): Promise<StepEnd> {
    const file = files[fileNo];
    const progress = state[fileNo];
    if (file === undefined || progress === undefined) throw new RangeError(`There is no file ${fileNo}`);
    const { path, bytes, chunkSize } = file;
    const totalChunkNum = Math.max(1, Math.ceil(bytes.length / chunkSize));
    progress.sent.add(chunkNo);
    if (progress.sent.size === totalChunkNum) progress.operation ??= begin(journal, fileNo);
    const fields = { reqId, fileNo, fileName: path, totalChunkNum, chunkNo };
    const form = [
      ...Object.entries(fields).map(([name, value]) => ({ name, value: String(value) })),
      { name: 'file', value: bytes.subarray((chunkNo - 1) * chunkSize, chunkNo * chunkSize), fileName: 'blob' },
    ];
    const outcome = await caller.call('POST', `/datasets/${datasetId}/files/upload/chunk`, { form });
    if (outcome.kind === 'cut') return 'unknown';
    if (!isSuccess(outcome)) return 'refused';
    progress.acknowledged.add(chunkNo);
    if ((outcome.json() as { fileCompleted: boolean }).fileCompleted) {
      progress.completed = true;
      progress.operation?.acknowledged();
    }
    return 'done';
  }

  return {
    what: `upload of ${files.map(({ path }) => path).join(', ')}`,
    async attempt(context) {
      if (reqId === undefined) {
        const end = await announce(context);
        if (end !== 'done') return end;
      }
      // An outcome that was uncertain before may be settled by now.
      for (const progress of state) if (!progress.completed) progress.operation = undefined;
      const queue = (interrupted ? await missing(context) : order).values();
      const ends = new Set<StepEnd>();
      const work = async (): Promise<void> => {
        for (const [fileNo, chunkNo] of queue) ends.add(await send(context, fileNo, chunkNo));
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      if (state.every(({ completed }) => completed)) return 'done';
      interrupted = true;
      return ends.has('unknown') ? 'unknown' : 'refused';
    },
  };
}

function isIn(number: number, ranges: readonly { from: number; to: number }[]): boolean {
  return ranges.some(({ from, to }) => from <= number && number <= to);
}

/** The only outcome of a file that is not an archive. */
export function standsAt(path: string, stored: Stored): Change[] {
  return [new Map([[path, stored]])];
}
