/** How the library, Node and the system call a full disk, each at the beginning or with what they were doing. */
const words =
  /^(?:ENOSPC|EDQUOT)\b|^(?:IO Error: )?(?:Could not|Failed to|Cannot) .*(?:No space left on device|Disk quota exceeded)/s;

/** The error of a problem that is none of the table or the statement: the disk is full. Undefined for others. */
export function findFullDisk(problem: string): Error | undefined {
  return words.test(problem) ? Object.assign(new Error(`ENOSPC: ${problem}`), { code: 'ENOSPC' }) : undefined;
}
