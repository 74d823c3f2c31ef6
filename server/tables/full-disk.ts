/** How the library, Node and the system report a full disk, with or without the failed operation before it. */
const words =
  /^(?:ENOSPC|EDQUOT)\b|^(?:IO Error: )?(?:Could not|Failed to|Cannot) .*(?:No space left on device|Disk quota exceeded)/s;

/** An ENOSPC error if the problem is a full disk rather than the table or statement; undefined for other problems. */
export function findFullDisk(problem: string): Error | undefined {
  return words.test(problem) ? Object.assign(new Error(`ENOSPC: ${problem}`), { code: 'ENOSPC' }) : undefined;
}
