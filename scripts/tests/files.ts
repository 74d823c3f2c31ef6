// Lists the test files, and which of them need their own process.
import { globSync, readFileSync } from 'node:fs';

/** Marks a test file that can't share its process with others; the reason follows. */
const aloneMark = '// Runs in a process of its own:';
/** Matches parts of a file that only `npm run test:long` runs, or that it runs at another size, directly or through a test module. */
const longParts =
  /\b(?:longTests?|longTestWith|longForEachDatabase|forAnyDatabase|sized|testedLanes|startWebSession)\(|\bisLongRun\b|\/source-faults\.ts'/;

/** Paths from the checkout, sorted. */
export function listTestFiles({ isLong }: { isLong: boolean }): string[] {
  return globSync('{server,tests,scripts,bench,examples,web}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
    .filter((file) => isLong || !file.endsWith('.long.test.ts'))
    .sort();
}

/** Whether `npm run test:long` covers more of a file than `npm test`. */
export function hasLongParts(file: string): boolean {
  return file.endsWith('.long.test.ts') || longParts.test(readFileSync(file, 'utf8'));
}

export function needsOwnProcess(file: string): boolean {
  return readFileSync(file, 'utf8').startsWith(aloneMark);
}

/** Whether a file opens pages: such files run in one process, with one browser and one service, which cost more than most of them. */
export function opensPages(file: string): boolean {
  return readFileSync(file, 'utf8').includes('startWebSession(');
}
