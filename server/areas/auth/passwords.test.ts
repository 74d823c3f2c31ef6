import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPassword, createPasswordHashing, generatePassword, unmatchedHash } from './passwords.ts';

const passwords = createPasswordHashing();

test('a hash matches its password only, and never repeats', async () => {
  const [one, other] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, other);
  assert.equal(await passwords.verify('correct horse', one), true);
  assert.equal(await passwords.verify('Correct horse', one), false);
  assert.equal(await passwords.verify('', one), false);
});

test('agrees with another implementation of Argon2id', async () => {
  // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(await passwords.verify('password', hash), true);
  assert.equal(await passwords.verify('passwore', hash), false);
});

test('no password matches the hash that stands in for unknown users', async () => {
  assert.equal(await passwords.verify('', unmatchedHash), false);
});

test('lengths count code points', () => {
  for (const good of ['x'.repeat(12), '🔑'.repeat(12), 'é'.repeat(128)]) checkPassword('password', good);
  for (const bad of ['x'.repeat(11), '🔑'.repeat(11), 'x'.repeat(129)])
    assert.throws(() => checkPassword('password', bad), /^AppError: password must have 12 to 128 characters/);
});

test('a generated password is long and never the same', () => {
  const made = new Set(Array.from({ length: 100 }, generatePassword));
  assert.equal(made.size, 100);
  for (const password of made) checkPassword('password', password);
});
