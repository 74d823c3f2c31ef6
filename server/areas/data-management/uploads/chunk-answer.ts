import type { ChunkForm } from './chunk-form.ts';
import type { ChunkState } from './chunk-sink.ts';
import type { ChunkAnswer } from '../schemas/uploads.ts';
import type { UploadSession } from './upload-session.ts';

/** The response to a chunk that was kept. */
export function toChunkAnswer(session: UploadSession, form: ChunkForm, state: ChunkState): ChunkAnswer {
  const { total_file_num, total_size_bytes } = session.upload;
  const uploadCompleted = session.completedFiles === total_file_num;
  const answer: ChunkAnswer = {
    reqId: form.reqId,
    fileNo: form.fileNo,
    fileName: form.fileName,
    chunkNo: form.chunkNo,
    totalChunkNum: form.totalChunkNum,
    receivedChunks: state.receivedChunks,
    fileCompleted: state.completed,
    uploadCompleted,
  };
  if (state.file !== undefined) answer.file = state.file;
  if (uploadCompleted && session.receivedBytes < total_size_bytes)
    answer.warnings = [`${total_size_bytes} bytes were announced, ${session.receivedBytes} arrived`];
  return answer;
}
