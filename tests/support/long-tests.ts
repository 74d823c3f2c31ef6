import { test, type TestContext, type TestOptions } from 'node:test';
import { testWith } from './tools.ts';

/** Whether this is `npm run test:long`; files `*.long.test.ts` run only there. */
export const isLongRun = process.env['TILTH_TEST_LONG'] === '1';

/**
 * Registers tests that run only in `npm run test:long`: they prove what a change rarely breaks, or repeat at full size what another test
 * shows.
 */
export function longTests(register: () => void): void {
  if (isLongRun) register();
}

/** A number of rounds, files or rows: few for `npm test`, all for `npm run test:long`. */
export function sized(few: number, all: number): number {
  return isLongRun ? all : few;
}

/** Like `testWith`, only in `npm run test:long`. */
export function longTestWith(...given: Parameters<typeof testWith>): void {
  if (isLongRun) testWith(...given);
}

type TestFn = (t: TestContext) => void | Promise<void>;

/** Like `test`, only in `npm run test:long`. */
export function longTest(name: string, run: TestFn): void;
export function longTest(name: string, options: TestOptions, run: TestFn): void;
export function longTest(name: string, options: TestOptions | TestFn, run?: TestFn): void {
  if (!isLongRun) return;
  if (typeof options === 'function') test(name, options);
  else test(name, options, run);
}
