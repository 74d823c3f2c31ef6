// Timeouts against hanging tests; they never decide whether a test passes.
const isLong = () => process.env['TILTH_TEST_LONG'] === '1';

/** A hanging test fails by name instead of blocking the run. `npm run test:long` runs tests at full size. */
export const testTimeLimitMs = (): number => (isLong() ? 1_800_000 : 300_000);

/** The limit for all tests of a file: the limit of a single test covers neither hooks nor other waiting. */
export const fileTimeLimitMs = (): number => (isLong() ? 3_600_000 : 1_800_000);
