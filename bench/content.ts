import { open } from 'node:fs/promises';

const pieceBytes = 8 * 1024 * 1024;

/** Writes a file of non-repeating bytes, piece by piece. */
export async function writeContent(path: string, sizeBytes: number): Promise<void> {
  const handle = await open(path, 'w');
  const piece = new BigUint64Array(pieceBytes / 8);
  let state = 1n;
  try {
    for (let at = 0; at < sizeBytes; at += pieceBytes) {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
      for (let word = 0; word < piece.length; word++) piece[word] = state + BigInt(word);
      await handle.write(new Uint8Array(piece.buffer, 0, Math.min(pieceBytes, sizeBytes - at)));
    }
  } finally {
    await handle.close();
  }
}
