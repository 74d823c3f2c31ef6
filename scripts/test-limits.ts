/** A test that hangs fails by name instead of blocking the run. */
export const testTimeLimitMs = 300_000;

/** A test file whose process does not end fails as well: the limit for a test covers neither its hooks nor what it leaves open. */
export const fileTimeLimitMs = 1_800_000;
