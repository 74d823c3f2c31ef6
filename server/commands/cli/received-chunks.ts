import { apiPath, type ServiceClient } from './service-client.ts';
import { datasetsParts } from './datasets.ts';

type Range = { from: number; to: number };
type UploadPart = {
  completed: Range[];
  incomplete: {
    fileNo: number;
    totalChunkNum: number;
    receivedChunks: number;
    receivedBytes: number;
    missingChunks: Range[];
  }[];
  nextFileNo: number | null;
};

/** What an upload has received so far. */
export type ReceivedChunks = {
  isComplete(fileNo: number): boolean;
  /** Whether a chunk of a file has arrived; false if in doubt, since repeating one is harmless. */
  has(fileNo: number, chunkNo: number): boolean;
};

export async function getReceivedChunks(
  client: ServiceClient,
  datasetId: string,
  reqId: string,
): Promise<ReceivedChunks> {
  const completed = new Set<number>();
  const incomplete = new Map<number, (chunkNo: number) => boolean>();
  for (let fromFileNo: number | null = 0; fromFileNo !== null;) {
    const path = apiPath([...datasetsParts, datasetId, 'files', 'upload', reqId], { fromFileNo });
    const part: UploadPart = await client.call<UploadPart>('GET', path);
    for (const { from, to } of part.completed) for (let fileNo = from; fileNo <= to; fileNo += 1) completed.add(fileNo);
    for (const { fileNo, totalChunkNum, receivedChunks, missingChunks } of part.incomplete) {
      const listed = missingChunks.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      // The list of missing chunks may be truncated: chunks beyond its end count as missing.
      const known = listed + receivedChunks >= totalChunkNum ? totalChunkNum : (missingChunks.at(-1)?.to ?? 0);
      incomplete.set(
        fileNo,
        (chunkNo) => chunkNo <= known && !missingChunks.some(({ from, to }) => chunkNo >= from && chunkNo <= to),
      );
    }
    fromFileNo = part.nextFileNo;
  }
  return {
    isComplete: (fileNo) => completed.has(fileNo),
    has: (fileNo, chunkNo) => completed.has(fileNo) || (incomplete.get(fileNo)?.(chunkNo) ?? false),
  };
}
