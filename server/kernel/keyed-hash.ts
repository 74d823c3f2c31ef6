import { createHmac } from 'node:crypto';

/** The first 64 bits of HMAC-SHA-256 as 16 letters from a to p, so that the hash never looks like a number. */
export function keyedHash(key: string, text: string): string {
  const digest = createHmac('sha256', key).update(text).digest('hex').slice(0, 16);
  return digest.replaceAll(/./g, (digit) => 'abcdefghijklmnop'.charAt(Number.parseInt(digit, 16)));
}
