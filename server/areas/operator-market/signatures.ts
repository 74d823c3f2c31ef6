import { isSignedBy, readPublicKey } from '../../operator-packages/index.ts';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { newId } from '../../kernel/ids.ts';
import type { Database } from '../../storage/database/database.ts';
import type { PublisherKeysTable } from '../../storage/database/tables/operator-market.ts';
import { marketErrors } from './errors.ts';
import {
  deletePublisherKey,
  findPublisherKeyNamed,
  insertPublisherKey,
  listPublisherKeys,
} from './queries/publisher-keys.ts';
import type { VersionHead } from './queries/versions.ts';
import type { OperatorSignature } from './schemas/operators.ts';
import type { NewPublisherKey, PublisherKey } from './schemas/publisher-keys.ts';

/** The keys of publishers, and the verification of signatures with them. */
export type PublisherSignatures = {
  listKeys(): Promise<PublisherKey[]>;
  /** Throws INVALID_PARAMETER, PUBLISHER_KEY_ALREADY_EXISTS. */
  addKey(given: NewPublisherKey, by: string): Promise<PublisherKey>;
  /** Throws PUBLISHER_KEY_NOT_FOUND. */
  removeKey(id: string): Promise<void>;
  /** Returns a function that verifies signatures with the current keys. */
  reader(): Promise<(version: Pick<VersionHead, 'digest' | 'signature'>) => OperatorSignature | null>;
};

export function createSignatures({ db, clock }: { db: Database; clock: Clock }): PublisherSignatures {
  return {
    listKeys: async () => (await listPublisherKeys(db.read)).map(toKey),
    async addKey({ name, publicKey }, by) {
      if (readPublicKey(publicKey) === undefined) {
        throw invalid('publicKey', parameterProblems.MUST_BE_PUBLIC_KEY.reason({}));
      }
      const row = { id: newId(), name, public_key: publicKey, created_at: isoNow(clock), created_by: by };
      await db.write(async (tx) => {
        if ((await findPublisherKeyNamed(tx, name)) !== undefined)
          throw marketErrors.PUBLISHER_KEY_ALREADY_EXISTS({ name });
        await insertPublisherKey(tx, row);
      });
      return toKey(row);
    },
    async removeKey(id) {
      const removed = await db.write((tx) => deletePublisherKey(tx, id));
      if (removed === 0) throw marketErrors.PUBLISHER_KEY_NOT_FOUND({ id });
    },
    async reader() {
      const keys = (await listPublisherKeys(db.read)).flatMap(({ name, public_key }) => {
        const key = readPublicKey(public_key);
        return key === undefined ? [] : [{ name, key }];
      });
      return ({ digest, signature }) => {
        if (signature === null) return null;
        const bytes = Buffer.from(signature, 'base64');
        const known = keys.find(({ key }) => isSignedBy(digest, bytes, key));
        return { verified: known !== undefined, publisher: known?.name ?? null };
      };
    },
  };
}

function toKey({ id, name, public_key, created_at, created_by }: PublisherKeysTable): PublisherKey {
  return { id, name, publicKey: public_key, createdAt: created_at, createdBy: created_by };
}
