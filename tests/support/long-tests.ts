/** Whether this is `npm run test:long`; a file `*.long.test.ts` runs there alone. */
export const isLongRun = process.env['TILTH_TEST_LONG'] === '1';

/** Registers tests that only `npm run test:long` runs: they prove what a change rarely breaks, or repeat at full size what another test shows. */
export function longTests(register: () => void): void {
  if (isLongRun) register();
}

/** A number of rounds, files or rows: few for `npm test`, all for `npm run test:long`. */
export function sized(few: number, all: number): number {
  return isLongRun ? all : few;
}
