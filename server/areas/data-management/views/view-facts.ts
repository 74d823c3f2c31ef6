import { readFile, rename, utimes, writeFile } from 'node:fs/promises';

/** Changes when files of an older format can't be read. */
const formatVersion = 10;

/** The facts of a file derived from a table; undefined if there are none, or of an older format. */
export async function readFacts<T>(path: string): Promise<T | undefined> {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8')) as { version: number; facts: T };
    if (stored.version !== formatVersion) return undefined;
    // The sweep uses this time.
    const now = new Date();
    await utimes(path, now, now);
    return stored.facts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Call last: the facts mark the file as complete. */
export async function writeFacts(path: string, facts: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify({ version: formatVersion, facts }));
  await rename(`${path}.new`, path);
}
