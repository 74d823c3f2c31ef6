/** Ends of the tries until one of them is lost. */
const reaches = [64, 4096, 2 ** 18, 2 ** 24];

/**
 * Finds the sample that kills processes which report nothing but their loss. `isLost` tries the samples before `until`
 * and returns whether the process was lost. Returns the number of the sample; -1 if processes are lost before any
 * sample; undefined if no try is lost.
 */
export async function findGuilty(isLost: (until: number) => Promise<boolean>): Promise<number | undefined> {
  let survived = -1;
  let lost: number | undefined;
  for (const reach of reaches) {
    if (await isLost(reach)) {
      lost = reach;
      break;
    }
    survived = reach;
  }
  if (lost === undefined) return undefined;
  while (lost - survived > 1) {
    const middle = Math.floor((survived + lost) / 2);
    if (await isLost(middle)) lost = middle;
    else survived = middle;
  }
  return lost - 1;
}
