import { diskFull, type DiskSpace } from '../../disk-space/index.ts';
import type { FileOperations } from './file-operations.ts';

/** For a store whose disk space is not watched. */
export const boundlessSpace: Pick<DiskSpace, 'mayWrite' | 'isShort' | 'withReserve'> = {
  mayWrite: () => true,
  isShort: () => false,
  withReserve: (attempt) => attempt(),
};

/** The same operations, except that a write that may not use the reserve fails as if the disk was full. */
export function refuseWrites(operations: FileOperations, space: Pick<DiskSpace, 'mayWrite'>): FileOperations {
  return {
    ...operations,
    write: (fd, bytes, position) =>
      space.mayWrite() ? operations.write(fd, bytes, position) : Promise.reject(diskFull()),
  };
}
