import { constants } from 'node:fs';
import type { FileOperations } from './file-operations.ts';
import { createSharedHandles } from './shared-handles.ts';

export type OpenFile = { readonly fd: number; release(): Promise<void> };

/** Files open for reading, shared by all readers; the most recently used ones stay open. */
export type OpenFiles = {
  /** Throws ENOENT when the file does not exist. */
  acquire(path: string): Promise<OpenFile>;
  /** The file is being removed: current readers finish, new ones are refused. */
  forget(path: string): Promise<void>;
  close(): Promise<void>;
};

export function createOpenFiles(operations: FileOperations, maxIdle = 128): OpenFiles {
  const handles = createSharedHandles({
    open: (path) => operations.open(path, constants.O_RDONLY),
    close: (fd: number) => operations.close(fd),
    maxIdle,
  });
  return {
    async acquire(path) {
      const { handle: fd, release } = await handles.acquire(path);
      return { fd, release };
    },
    forget: handles.forget,
    close: () => handles.close({ inUse: 'when released' }),
  };
}
