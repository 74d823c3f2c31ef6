import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

const signatureBytes = 64;

/** The signature in a file `operator.sig`, decoded from base64; undefined if it is invalid. */
export function readSignature(file: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(file).toString('latin1').trim();
  if (!/^[A-Za-z0-9+/]{86}==$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === signatureBytes ? bytes : undefined;
}

/** The content of `operator.sig`: Ed25519 over the 32 bytes of the digest. */
export function signDigest(digest: string, privateKey: KeyObject): string {
  return `${sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64')}\n`;
}

export function isSignedBy(digest: string, signature: Uint8Array, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(digest, 'hex'), publicKey, signature);
}

/** A public key in PEM; undefined if it is not an Ed25519 key. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
