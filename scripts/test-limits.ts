// Guards against hanging; what is right or wrong is never decided by them.
const isLong = () => process.env['TILTH_TEST_LONG'] === '1';

/** A test that hangs fails by name instead of blocking the run. `npm run test:long` runs tests at full size. */
export const testTimeLimitMs = (): number => (isLong() ? 1_800_000 : 300_000);

/** The limit for all tests of a file: that for a test covers neither its hooks nor what else it waits for. */
export const fileTimeLimitMs = (): number => (isLong() ? 3_600_000 : 1_800_000);
