export { diskFull, openDiskSpace, type DiskMeasure, type DiskSpace } from './disk-space.ts';
export { freeingSpace } from './freeing.ts';
export { keepReserveForDeletions } from './reserved-writes.ts';
