/** How far tries go before one of them is lost. */
const reaches = [64, 4096, 2 ** 18, 2 ** 24];

/**
 * Finds the sample that ends processes, of which nothing is known but that they were lost: by tries that end before a sample,
 * `isLost` tells of one whether its process was lost. Returns the number of the sample, -1 if it happens before any sample is
 * tried, and undefined if no try is lost.
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
