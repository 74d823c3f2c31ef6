import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { forEachDatabase, longForEachDatabase } from '../../tests/support/databases.ts';
import { sized } from '../../tests/support/long-tests.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import { createKey, decrypt, encrypt } from './encryption.ts';
import {
  createSecrets,
  createSettingKeyRing,
  openFileKeyRing,
  redact,
  rotateKeys,
  secretsKeyFile,
  type KeyRing,
  type Secrets,
} from './index.ts';
import { listKeys } from './queries/keys.ts';
import { listSecrets } from './queries/secrets.ts';

const place = { kind: 'model', id: 'm1', field: 'apiKey' };

async function newDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-secrets-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

async function start(db: Database, keys: KeyRing): Promise<{ secrets: Secrets; logged: string[] }> {
  const logged: string[] = [];
  const logger = { error: (details: object, message: string) => void logged.push(JSON.stringify([details, message])) };
  const secrets = createSecrets({ db, keys, clock: systemClock, logger });
  await secrets.start();
  return { secrets, logged };
}

const rotate = (db: Database, keys: KeyRing, discardUnreadable = false) =>
  rotateKeys({ db, keys, clock: systemClock, discardUnreadable });

test('a ciphertext opens with its key at its place alone', () => {
  const [key, other] = [createKey(Buffer.alloc(32, 1)), createKey(Buffer.alloc(32, 2))];
  const encrypted = encrypt(key, place, 'hush');
  assert.equal(decrypt(key, place, encrypted), 'hush');
  assert.notEqual(encrypt(key, place, 'hush'), encrypted, 'each has a nonce of its own');
  assert.equal(decrypt(other, place, encrypted), undefined);
  for (const moved of [{ kind: 'source' }, { id: 'm2' }, { field: 'password' }])
    assert.equal(decrypt(key, { ...place, ...moved }, encrypted), undefined, JSON.stringify(moved));
  const bytes = Buffer.from(encrypted, 'base64');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(decrypt(key, place, changed.toString('base64')), undefined, `byte ${at}`);
  }
  for (let length = 0; length < bytes.length; length++)
    assert.equal(decrypt(key, place, bytes.subarray(0, length).toString('base64')), undefined, `${length} bytes`);
});

forEachDatabase('values are stored encrypted, changed and removed', async (t, open) => {
  const db = await open();
  const file = secretsKeyFile(await newDirectory(t));
  const { secrets, logged } = await start(db, await openFileKeyRing(file));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await secrets.find(place), undefined);
  await db.write((tx) => secrets.put(tx, place, 'planted-secret'));
  await db.write((tx) => secrets.put(tx, { ...place, id: 'm2' }, 'another'));
  assert.equal(await secrets.find(place), 'planted-secret');
  assert.deepEqual([...(await secrets.listOwners('model', 'apiKey'))].sort(), ['m1', 'm2']);
  assert.doesNotMatch(JSON.stringify(await listSecrets(db.read)), /planted/);
  await db.write((tx) => secrets.put(tx, place, 'changed'));
  assert.equal(await secrets.find(place), 'changed');
  await db.write((tx) => secrets.remove(tx, 'model', 'm1'));
  assert.equal(await secrets.find(place), undefined);

  // A row whose ciphertext was copied from another row.
  await db.write(async (tx) => {
    const [row] = await listSecrets(tx);
    assert.ok(row);
    await tx
      .insertInto('secrets')
      .values({ ...row, owner_id: 'm3' })
      .execute();
  });
  await assert.rejects(secrets.find({ ...place, id: 'm3' }), { code: 'SECRET_UNREADABLE' });
  assert.deepEqual(logged, []);
});

forEachDatabase('a lost key is told, loses nothing, and comes back', async (t, open) => {
  const db = await open();
  const directory = await newDirectory(t);
  const file = secretsKeyFile(directory);
  const first = await start(db, await openFileKeyRing(file));
  await db.write((tx) => first.secrets.put(tx, place, 'planted-secret'));
  const kept = await readFile(file);
  await rm(file);

  const lost = await start(db, await openFileKeyRing(file));
  assert.match(lost.logged.join(), /model m1 apiKey.*1 secrets can not be decrypted.*secrets\.key/);
  await assert.rejects(lost.secrets.find(place), {
    code: 'SECRET_UNREADABLE',
    message: /The stored apiKey of model m1 can not be decrypted: key [\da-f]{16} is not in the file .*secrets\.key/,
  });
  await assert.rejects(
    db.write((tx) => lost.secrets.put(tx, place, 'new')),
    { code: 'SECRETS_KEY_MISSING' },
  );
  assert.deepEqual(await readdir(directory), [], 'no other key was made');
  await assert.rejects(rotate(db, await openFileKeyRing(file)), /1 values can not be decrypted/);

  await writeFile(file, kept, { mode: 0o600 });
  assert.equal(await lost.secrets.find(place), 'planted-secret', 'without another start');

  await rm(file);
  const given = await rotate(db, await openFileKeyRing(file), true);
  assert.deepEqual([given.encrypted, given.discarded], [0, [place]]);
  const after = await start(db, await openFileKeyRing(file));
  await db.write((tx) => after.secrets.put(tx, place, 'entered anew'));
  assert.equal(await after.secrets.find(place), 'entered anew');
});

forEachDatabase('keys rotate beside a running service, and from anywhere they were interrupted', async (t, open) => {
  const db = await open();
  const file = secretsKeyFile(await newDirectory(t));
  const { secrets } = await start(db, await openFileKeyRing(file));
  const places = Array.from({ length: 250 }, (_, index) => ({ ...place, id: `m${index}` }));
  await db.write(async (tx) => {
    for (const each of places) await secrets.put(tx, each, `secret of ${each.id}`);
  });
  const allReadable = async () => {
    for (const each of places.slice(0, 20)) assert.equal(await secrets.find(each), `secret of ${each.id}`);
    assert.deepEqual(await secrets.findUnreadable(), []);
  };
  const before = await readFile(file, 'utf8');

  // Each transaction fails once before its commit and once after it, as if the process was killed there.
  for (let step = 0; ; step++) {
    let writes = 0;
    const dying: Database = {
      ...db,
      async write(work, options) {
        if (writes++ !== step >> 1) return db.write(work, options);
        if (step % 2 === 1) await db.write(work, options);
        else
          await assert.rejects(
            db.write(async (tx) => {
              await work(tx);
              throw new Error('killed');
            }, options),
            /killed/,
          );
        throw new Error('killed');
      },
    };
    const keys = await openFileKeyRing(file);
    const outcome = await rotate(dying, keys).then(
      (rotation) => rotation,
      (error: unknown) => error as Error,
    );
    await allReadable();
    await db.write((tx) => secrets.put(tx, places[7] ?? place, 'secret of m7'));
    if (!(outcome instanceof Error)) break;
    assert.match(outcome.message, /killed/);
    assert.ok(step < 60);
  }
  const end = await rotate(db, await openFileKeyRing(file));
  assert.equal((await readFile(file, 'utf8')).trim().split('\n').length, 1, 'older keys are forgotten');
  assert.deepEqual(
    (await listKeys(db.read)).map(({ id, state }) => [id, state]),
    [[end.keyId, 'CURRENT']],
  );
  assert.notEqual(await readFile(file, 'utf8'), before);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await allReadable();
});

longForEachDatabase('values that are written while keys rotate are not lost', async (t, open) => {
  const db = await open();
  const other = await open();
  const file = secretsKeyFile(await newDirectory(t));
  const { secrets } = await start(db, await openFileKeyRing(file));
  const state = { rotating: true };
  const writing = (async () => {
    for (let round = 0; state.rotating || round < 50; round++)
      await db.write((tx) => secrets.put(tx, { ...place, id: `m${round % 40}` }, `round ${round}`));
  })();
  for (let times = 0; times < 5; times++) await rotate(other, await openFileKeyRing(file));
  state.rotating = false;
  await writing;
  assert.deepEqual(await secrets.findUnreadable(), []);
  assert.equal((await listSecrets(db.read)).length, 40);
});

forEachDatabase('a key of the setting, and the change to a newer one', async (_t, open) => {
  const db = await open();
  const [old, fresh] = ['a1'.repeat(32), 'b2'.repeat(32)];
  const first = await start(db, createSettingKeyRing(old));
  await db.write((tx) => first.secrets.put(tx, place, 'hush'));
  await assert.rejects(rotate(db, createSettingKeyRing(old)), /names no newer key/);
  const wrong = await start(db, createSettingKeyRing(fresh));
  assert.match(wrong.logged.join(), /model m1 apiKey/);

  const both = createSettingKeyRing(`${fresh}, ${old}`);
  const running = await start(db, both);
  assert.equal(await running.secrets.find(place), 'hush');
  const rotation = await rotate(db, both);
  assert.deepEqual([rotation.encrypted, rotation.oldKeysConfigured], [1, true]);
  const last = await start(db, createSettingKeyRing(fresh));
  assert.equal(await last.secrets.find(place), 'hush');
  await db.write((tx) => last.secrets.put(tx, place, 'hush again'));
  assert.deepEqual(last.logged, []);
});

forEachDatabase('processes with different keys: the first that stores a value decides', async (_t, open) => {
  const [one, other] = ['a1'.repeat(32), 'b2'.repeat(32)];
  const db = await open();
  const first = await start(db, createSettingKeyRing(one));
  const second = await start(await open(), createSettingKeyRing(other));
  await db.write((tx) => first.secrets.put(tx, place, 'hush'));
  assert.equal(await first.secrets.find(place), 'hush', 'a start alone takes the key from nobody');
  assert.equal(await first.secrets.findKeyProblem(), undefined);
  assert.match((await second.secrets.findKeyProblem()) ?? '', /must share TILTH_SECRETS_KEY/);
  assert.match((await start(db, createSettingKeyRing(other))).logged.join(), /must share TILTH_SECRETS_KEY/);
  const store = (id: string) => db.write((tx) => second.secrets.put(tx, { ...place, id }, 'mine'));
  await assert.rejects(store('m2'), { code: 'SECRETS_KEY_MISSING' });

  await db.write((tx) => first.secrets.remove(tx, 'model', 'm1'));
  await store('m2');
  assert.equal(await second.secrets.find({ ...place, id: 'm2' }), 'mine', 'nothing needed the other key any more');
  assert.deepEqual(
    (await listKeys(db.read)).map(({ state }) => state),
    ['CURRENT'],
  );
});

longForEachDatabase(
  'of two processes that store the first value at once, one is told to share the key',
  async (_t, open) => {
    const db = await open();
    const rings = ['a1', 'b2'].map((pair) => createSettingKeyRing(pair.repeat(32)));
    for (let round = 0; round < sized(3, 10); round++) {
      const processes = await Promise.all(
        rings.map(async (ring) => ({ db: await open(), ...(await start(db, ring)) })),
      );
      const outcomes = await Promise.allSettled(
        processes.map((each, index) =>
          each.db.write((tx) => each.secrets.put(tx, { ...place, id: `m${index}` }, 'value')),
        ),
      );
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          assert.equal((outcome.reason as { code?: string }).code, 'SECRETS_KEY_MISSING');
      await db.write(async (tx) => {
        for (const id of ['m0', 'm1']) await processes[0]?.secrets.remove(tx, 'model', id);
      });
    }
  },
);

test('a damaged key file is neither used nor written over', async (t) => {
  const file = secretsKeyFile(await newDirectory(t));
  await writeFile(file, 'abcd\n');
  const keys = await openFileKeyRing(file);
  await assert.rejects(keys.first(), { name: 'KeyFileError', message: /is damaged/ });
  assert.equal(await readFile(file, 'utf8'), 'abcd\n');
});

const key = 'sk-Planted_0123456789/abcdef+XYZ';
const echoes: readonly (readonly [text: string, clean: string])[] = [
  [`Incorrect API key provided: ${key}.`, 'Incorrect API key provided: [redacted].'],
  [`in capitals ${key.toUpperCase()}!`, 'in capitals [redacted]!'],
  [`cut: ${key.slice(0, 12)}…${key.slice(-9)}`, 'cut: [redacted]…[redacted]'],
  [`coded ${encodeURIComponent(key)}`, 'coded [redacted]'],
  [`Basic ${Buffer.from(key).toString('base64')}`, 'Basic [redacted]'],
  [`${key}${key}`, '[redacted]'],
  ['nothing of it: sk-Plan 0123456', 'nothing of it: sk-Plan 0123456'],
  ['', ''],
];
for (const [text, clean] of echoes) {
  test(`redacts ${JSON.stringify(text)}`, () => assert.equal(redact(text, [key, '']), clean));
}
