import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { startFaultyS3 } from '../../../../tests/support/faulty-s3.ts';
import { credentialsOf, sharedS3, startS3, versitygw } from '../../../../tests/support/versitygw.ts';
import type { Database } from '../../database/database.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { createObjectMover } from './object-mover.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3ObjectStore } from './s3-object-store.ts';
import { claimObjectStore, markerKey, readMarker, requireObjectStore } from './store-identity.ts';

async function emptyFolder(): Promise<{ store: ObjectStore; url: string }> {
  const server = await sharedS3();
  Object.assign(process.env, credentialsOf(server));
  const url = `s3://${server.bucket}/identity-${randomUUID()}`;
  return { url, store: createS3ObjectStore({ url, endpoint: server.endpoint }) };
}

forAnyDatabase(
  'nodes that start at once over an empty folder of a bucket take it together',
  async (_t, open) => {
    const db = await open();
    for (const when of ['before', 'after'] as const) {
      const { store, url } = await emptyFolder();
      await db.write((tx) => tx.deleteFrom('object_stores').execute());
      let isOther = false;
      const other = async (): Promise<void> => {
        if (isOther) return;
        isOther = true;
        await claimObjectStore(db, store, url);
      };
      const watched: ObjectStore = {
        ...store,
        async read(...args) {
          if (when === 'before') await other();
          const result = store.read(...args);
          await result.catch(() => undefined);
          if (when === 'after') await other();
          return result;
        },
      };
      await claimObjectStore(db, watched, url);
      const known = await db.read.selectFrom('object_stores').select('marker').execute();
      assert.deepEqual([await readMarker(store)], [known[0]?.marker], when);
    }
  },
  [versitygw],
);

forAnyDatabase(
  'a folder inside that of an installation is not taken, nor one around it',
  async (t, open) => {
    const db = await open();
    const server = await startS3(t, 'nested');
    Object.assign(process.env, credentialsOf(server));
    const proxy = await startFaultyS3(t, server.endpoint);
    const at = (url: string): [ObjectStore, string] => [createS3ObjectStore({ url, endpoint: proxy.endpoint }), url];
    const claim = (url: string): Promise<void> => claimObjectStore(db, ...at(url));
    const move = (url: string): Promise<void> => createObjectMover(...at(url)).claim(randomUUID());
    // A folder of another database.
    await move('s3://nested/a/tilth');
    for (const url of ['s3://nested/a/tilth/files', 's3://nested/a/tilth/files/more/']) {
      const message = `${url} is inside the folder s3://nested/a/tilth of an installation: set TILTH_STORAGE_URL to a folder beside it`;
      await assert.rejects(claim(url), { name: 'StorageMismatchError', message });
      await assert.rejects(move(url), { name: 'StorageMismatchError', message });
    }
    for (const url of ['s3://nested', 's3://nested/a/']) {
      const message = `the folder s3://nested/a/tilth of an installation is inside ${url}: set TILTH_STORAGE_URL to a folder beside it`;
      await assert.rejects(claim(url), { name: 'StorageMismatchError', message });
      await assert.rejects(move(url), /is not empty \(\S+tilth-installation\)/);
    }
    assert.deepEqual(await db.read.selectFrom('object_stores').selectAll().execute(), [], 'none is remembered');

    // With access to one folder only, the enclosing folders can't be checked.
    proxy.decide = ({ path }) =>
      path.startsWith('/nested/a/tilth-2/') || path === '/nested' || path === '/nested/'
        ? undefined
        : { kind: 'status', status: 403, code: 'AccessDenied' };
    await claim('s3://nested/a/tilth-2');
    proxy.decide = () => undefined;
    // Around an already claimed folder, the check is not repeated.
    proxy.calls.length = 0;
    await claim('s3://nested/a/tilth-2/');
    assert.equal(proxy.calls.length, 1);
    await move('s3://nested/b');
    await assert.rejects(move('s3://nested/b/c/d'), /inside the folder s3:\/\/nested\/b of an/);

    const root = await startS3(t, 'whole');
    await createObjectMover(createS3ObjectStore({ url: 's3://whole', endpoint: root.endpoint }), 's3://whole').claim(
      'x',
    );
    const inside = createS3ObjectStore({ url: 's3://whole/tilth', endpoint: root.endpoint });
    await db.write((tx) => tx.deleteFrom('object_stores').execute());
    await assert.rejects(claimObjectStore(db, inside, 's3://whole/tilth'), /is inside the folder s3:\/\/whole of an/);
  },
  [versitygw],
);

forAnyDatabase(
  'a folder that was emptied or replaced is told with the way out',
  async (_t, open) => {
    const db = await open();
    const { store, url } = await emptyFolder();
    await claimObjectStore(db, store, url);
    await storeBlob(db);
    const marker = (await readMarker(store)) ?? '';
    const check = async (start: RegExp, condition: string): Promise<void> => {
      for (const look of [claimObjectStore, requireObjectStore])
        await assert.rejects(look(db, store, `${url}/`), ({ name, message }: Error) => {
          assert.equal(name, 'StorageMismatchError');
          assert.match(message, start);
          assert.ok(
            message.includes(`${condition}, store tilth-installation with the content ${marker} again`),
            message,
          );
          assert.equal(message.split(url).length, 2, 'the URL is named once');
          return true;
        });
    };
    await store.remove(markerKey);
    await check(
      /^the object tilth-installation is missing in s3:\S+: the folder was emptied or replaced/,
      'what is there',
    );
    const put = (text: string): Promise<void> => store.put(markerKey, Buffer.from(text), crc32(Buffer.from(text)));
    await put('other');
    await check(
      /^the object tilth-installation in s3:\S+ is of another installation/,
      ', if no other one uses the folder',
    );
    await store.remove(markerKey);
    await put(`${marker}\n`);
    await claimObjectStore(db, store, url);
    await requireObjectStore(db, store, url);
  },
  [versitygw],
);

/** A row of a file whose bytes are in the store. */
async function storeBlob(db: Database): Promise<void> {
  const blob = { id: randomUUID(), size_bytes: 3, crc32: 1, sha256: null, refs: 1, folder_no: null };
  const place = { kind: 'file' as const, object_id: randomUUID(), object_offset: 0 };
  await db.write((tx) =>
    tx
      .insertInto('blobs')
      .values({ ...blob, ...place })
      .execute(),
  );
}
