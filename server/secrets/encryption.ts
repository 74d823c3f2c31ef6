import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Where a secret belongs: kind and id of its owner, and the field. */
export type SecretPlace = { kind: string; id: string; field: string };

/** An AES-256 key; its id is derived from its bytes, so that the same key has the same id wherever it is configured. */
export type SecretKey = { readonly id: string; readonly bytes: Uint8Array };

export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export function createKey(bytes: Uint8Array): SecretKey {
  const digest = createHash('sha256').update('tilth secret key').update(bytes).digest('hex');
  return { id: digest.slice(0, 16), bytes };
}

/**
 * Encrypts a value with AES-256-GCM: base64 of nonce, tag and ciphertext. The place and the key's id are additional
 * authenticated data, so that a ciphertext copied to another row can't be decrypted there.
 */
export function encrypt(key: SecretKey, place: SecretPlace, value: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(additionalData(key, place));
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
}

/** The value, or undefined if key, place and ciphertext don't belong together. */
export function decrypt(key: SecretKey, place: SecretPlace, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(additionalData(key, place)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const ciphertext = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function additionalData(key: SecretKey, { kind, id, field }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify(['tilth-secret-1', key.id, kind, id, field]));
}
