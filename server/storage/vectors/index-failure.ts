/** An index could not be read or written. The cause is only for the log: it names files of the library and the service. */
export class IndexFailure extends Error {
  override readonly name = 'IndexFailure';
  /** ENOSPC when the disk (or its quota) is full. */
  readonly code: 'ENOSPC' | 'INDEX_FAILURE';
  /** The service lacks file handles or memory for now; the index itself may be intact. */
  readonly isPassing: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    const told = String((cause as Error | undefined)?.message ?? cause);
    this.code = /No space left on device|Disk quota exceeded|os error (28|122)\b/i.test(told)
      ? 'ENOSPC'
      : 'INDEX_FAILURE';
    this.isPassing = this.code === 'ENOSPC' || /os error (12|23|24)\b/.test(told);
  }
}

/** Runs LanceDB work and converts its errors to IndexFailure; LanceDB distinguishes failures only by their text. */
export async function withIndexFailures<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof IndexFailure ? error : new IndexFailure(message, error);
  }
}
