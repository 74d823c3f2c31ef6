export type FileState = 'waiting' | 'sending' | 'done' | 'failed' | 'absent';

/** One file of an upload. `absent`: the browser has to be given it again after a reload. */
export type UploadFile = {
  readonly fileNo: number;
  readonly path: string;
  readonly sizeBytes: number;
  file: File | undefined;
  state: FileState;
  /** Bytes of chunks that the service has acknowledged. */
  acknowledgedBytes: number;
  /** Bytes of chunks that are on their way. */
  inFlightBytes: number;
  error: Error | undefined;
  warnings: readonly string[];
  /** Where it stands in the dataset; known once it is complete. */
  storedPath: string | undefined;
};
