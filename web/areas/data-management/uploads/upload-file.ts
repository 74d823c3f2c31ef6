export type FileState = 'waiting' | 'sending' | 'done' | 'failed' | 'absent';

/** One file of an upload. `absent`: the user must choose it again after a reload. */
export type UploadFile = {
  readonly fileNo: number;
  readonly path: string;
  readonly sizeBytes: number;
  file: File | undefined;
  state: FileState;
  /** Bytes of chunks that the service has acknowledged. */
  acknowledgedBytes: number;
  /** Bytes of chunks in flight. */
  inFlightBytes: number;
  error: Error | undefined;
  warnings: readonly string[];
  /** Path in the dataset; known once complete. */
  storedPath: string | undefined;
};
