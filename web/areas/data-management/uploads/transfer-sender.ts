import { UnreadableFileError, type Checksums } from './checksums.ts';
import { chunkCount, chunkRange } from './chunk-plan.ts';
import type { SendChunk } from './chunk-sender.ts';
import type { SendFileGroup } from './file-group-sender.ts';
import type { Piece, Transfer } from './transfer-queue.ts';
import type { UploadFile } from './upload-file.ts';
import type { UploadFiles } from './upload-files.ts';

/** Where transfers go, and how chunks and groups of files are sent there. */
export type TransferService = {
  datasetId: string;
  reqId: string;
  chunkBytes: number;
  send: SendChunk;
  /** Sends small files together; without it each file gets a request of its own. */
  sendGroup?: SendFileGroup;
  checksums: Pick<Checksums, 'crc32'>;
};

export type TransferSender = {
  /** Sends a transfer and records what the service acknowledged; throws if it refuses the whole transfer. */
  send(transfer: Transfer, signal: AbortSignal): Promise<void>;
  /** Bytes that failed or were acknowledged no longer count as in flight. */
  reset(transfer: Transfer): void;
};

/** Sends transfers of an upload and updates the progress of their files. */
export function createTransferSender(
  options: TransferService & {
    files: Pick<UploadFiles, 'setState' | 'acknowledge'>;
    /** Called with further bytes that have left the browser. */
    onSent: (bytes: number) => void;
    onCompleted: (file: UploadFile) => void;
    onFailed: (file: UploadFile, error: unknown) => void;
  },
): TransferSender {
  const {
    datasetId,
    reqId,
    chunkBytes,
    send: sendChunk,
    sendGroup,
    checksums,
    onSent,
    onCompleted,
    onFailed,
  } = options;
  const { setState, acknowledge } = options.files;

  async function send(transfer: Transfer, signal: AbortSignal): Promise<void> {
    const [first] = transfer.pieces;
    for (const { file } of transfer.pieces) setState(file, 'sending');
    if (first === undefined) return;
    if (transfer.pieces.length === 1) await sendOneChunk(transfer, first, signal);
    else await sendFileGroup(transfer, signal);
  }

  async function sendOneChunk(transfer: Transfer, { file, chunkNo }: Piece, signal: AbortSignal): Promise<void> {
    if (file.file === undefined) throw new UnreadableFileError('The file no longer exists');
    const { from, to } = chunkRange(chunkNo, file.sizeBytes, chunkBytes);
    const blob = file.file.slice(from, to);
    const checkSumHex = await checksums.crc32(blob);
    const totalChunkNum = chunkCount(file.sizeBytes, chunkBytes);
    const { fileNo, path: fileName } = file;
    const answer = await sendChunk(
      { datasetId, reqId, fileNo, fileName, chunkNo, totalChunkNum, checkSumHex, blob },
      signal,
      (sentBytes) => recordSent(transfer, sentBytes),
    );
    markSent(transfer);
    if (answer.warnings !== undefined) file.warnings = [...file.warnings, ...answer.warnings];
    acknowledge(file, to - from);
    if (answer.fileCompleted) complete(file, answer.file?.filePath);
  }

  async function sendFileGroup(transfer: Transfer, signal: AbortSignal): Promise<void> {
    if (sendGroup === undefined) throw new Error('This upload has no sender for groups of files');
    const files = transfer.pieces.flatMap(({ file }) =>
      file.file === undefined ? [] : [{ fileNo: file.fileNo, fileName: file.path, blob: file.file }],
    );
    const answer = await sendGroup({ datasetId, reqId, files }, signal, (sentBytes) => recordSent(transfer, sentBytes));
    markSent(transfer);
    const outcomes = new Map(answer.files.map((outcome) => [outcome.fileNo, outcome]));
    for (const { file } of transfer.pieces) {
      const outcome = outcomes.get(file.fileNo);
      if (outcome === undefined || outcome.error !== undefined) {
        onFailed(file, outcome?.error ?? new Error('The answer of the service does not mention this file'));
        continue;
      }
      acknowledge(file, file.sizeBytes);
      complete(file, outcome.storedPath);
    }
    const last = transfer.pieces.at(-1)?.file;
    if (last !== undefined && answer.warnings.length > 0) last.warnings = [...last.warnings, ...answer.warnings];
  }

  /** Records how much of a transfer has left the browser. */
  function recordSent(transfer: Transfer, sentBytes: number): void {
    const sent = Math.min(sentBytes, transfer.bytes);
    const more = sent - transfer.sentBytes;
    transfer.sentBytes = sent;
    const [piece] = transfer.pieces;
    if (piece !== undefined && transfer.pieces.length === 1) piece.file.inFlightBytes += more;
    onSent(Math.max(0, more));
  }

  /** The service has responded, so the whole transfer was sent. */
  function markSent(transfer: Transfer): void {
    onSent(transfer.bytes - transfer.sentBytes);
    reset(transfer);
  }

  function complete(file: UploadFile, storedPath: string | undefined): void {
    file.storedPath = storedPath;
    onCompleted(file);
    setState(file, 'done');
  }

  /** Bytes that failed or were acknowledged no longer count as in flight. */
  function reset(transfer: Transfer): void {
    const [piece] = transfer.pieces;
    if (piece !== undefined && transfer.pieces.length === 1) piece.file.inFlightBytes -= transfer.sentBytes;
    transfer.sentBytes = 0;
  }

  return { send, reset };
}
