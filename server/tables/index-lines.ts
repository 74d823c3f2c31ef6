import { closeSync, openSync, writeSync } from 'node:fs';

const flushCharacters = 1 << 20;

/** Lines written to a file in large pieces. */
export type IndexLines = { add(line: string): void; longest(): number; close(): void };

export function openLines(path: string): IndexLines {
  const file = openSync(path, 'w');
  let held: string[] = [];
  let characters = 0;
  let longest = 0;
  const flush = (): void => {
    const bytes = Buffer.from(held.join(''));
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    held = [];
    characters = 0;
  };
  return {
    add(line) {
      held.push(line);
      characters += line.length;
      // A UTF-16 unit takes three bytes at most.
      longest = Math.max(longest, line.length * 3);
      if (characters > flushCharacters) flush();
    },
    longest: () => longest,
    close() {
      flush();
      closeSync(file);
    },
  };
}
