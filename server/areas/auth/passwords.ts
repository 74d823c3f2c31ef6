import { causesOfDelay } from '../../kernel/sentences/index.ts';
import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { invalid, unavailable } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

export const minPasswordLength = 12;
export const maxPasswordLength = 128;

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane; about 40 ms. */
const memoryKiB = 19_456;
const passes = 2;
const parallelism = 1;
const saltBytes = 16;
const tagBytes = 32;

/** Hashes run in libuv's thread pool, which file operations need too, and take 19 MiB each. */
const maxRunning = 2;
const maxWaiting = 200;

/** Checks the length of a new password in code points. */
export function checkPassword(field: string, password: string): void {
  const length = [...password].length;
  if (length < minPasswordLength || length > maxPasswordLength)
    throw invalid(
      field,
      parameterProblems.MUST_HAVE_CHARACTERS.reason({ from: minPasswordLength, to: maxPasswordLength }),
    );
}

/** A password to be copied once: 20 letters and digits (119 bits), without look-alikes. */
export function generatePassword(): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)] ?? '').join('');
}

/** Hashes passwords with Argon2id, a few at a time; others queue. Throws UNAVAILABLE if the queue is full. */
export type PasswordHashing = {
  /** The hash in PHC form: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. */
  hash(password: string): Promise<string>;
  /** Whether a password matches a hash, whatever parameters the hash was made with. */
  verify(password: string, hash: string): Promise<boolean>;
};

export function createPasswordHashing(): PasswordHashing {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function derive(password: string, options: DeriveOptions): Promise<Buffer> {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw unavailable(causesOfDelay.MANY_SIGN_INS.reason({}), 5);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await deriveNow(password, options);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      const tag = await derive(password, { salt, memoryKiB, passes, parallelism, tagBytes });
      return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
    },
    async verify(password, hash) {
      const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
      if (parts === null) throw new Error('A stored password hash is not Argon2id in PHC form');
      const [, m, t, p, salt = '', tag = ''] = parts;
      const expected = Buffer.from(tag, 'base64');
      const actual = await derive(password, {
        salt: Buffer.from(salt, 'base64'),
        memoryKiB: Number(m),
        passes: Number(t),
        parallelism: Number(p),
        tagBytes: expected.length,
      });
      return timingSafeEqual(actual, expected);
    },
  };
}

/** A hash that no password matches, so that an unknown user takes the same time as a known one. */
export const unmatchedHash = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${unpadded(randomBytes(saltBytes))}$${unpadded(randomBytes(tagBytes))}`;

type DeriveOptions = { salt: Buffer; memoryKiB: number; passes: number; parallelism: number; tagBytes: number };

function deriveNow(password: string, options: DeriveOptions): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    argon2(
      'argon2id',
      {
        message: password,
        nonce: options.salt,
        parallelism: options.parallelism,
        tagLength: options.tagBytes,
        memory: options.memoryKiB,
        passes: options.passes,
      },
      (error, tag) => (error === null ? resolve(tag) : reject(error)),
    );
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
