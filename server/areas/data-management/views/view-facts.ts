import { readFile, rename, utimes, writeFile } from 'node:fs/promises';

/** Changes when what an older version made can't be read. */
const formatVersion = 8;

/** What is known of a file that is made of a table; undefined if there is none, or one of an older version. */
export async function readFacts<T>(path: string): Promise<T | undefined> {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8')) as { version: number; facts: T };
    if (stored.version !== formatVersion) return undefined;
    // The sweep goes by it.
    const now = new Date();
    await utimes(path, now, now);
    return stored.facts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Facts come last: with them, the file is complete. */
export async function writeFacts(path: string, facts: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify({ version: formatVersion, facts }));
  await rename(`${path}.new`, path);
}
