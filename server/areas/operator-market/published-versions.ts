import {
  packFiles,
  compareVersions,
  type OperatorPackage,
  type PackageMetrics,
} from '../../operator-packages/index.ts';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Operator } from '../../operators/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Db } from '../../storage/database/database.ts';
import { marketErrors } from './errors.ts';
import { insertOperatorRow, lockOperatorRow } from './queries/operators.ts';
import { insertVersion, listVersionsOf, updateVersion, type VersionHead } from './queries/versions.ts';

/** The versions of published operators as they are stored. */
export type PublishedVersions = {
  /** Checks that the id and version are available before the examination, which takes a while. */
  requireFree(found: OperatorPackage, by: Principal): Promise<void>;
  /** Stores a package that passed its examination; throws the conflicts of ids and versions. */
  store(found: OperatorPackage, metrics: PackageMetrics, by: Principal): Promise<void>;
};

export function createPublishedVersions({
  db,
  clock,
  blobs,
  operators,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  operators: readonly Operator[];
}): PublishedVersions {
  /** Versions that differ only in build metadata count as the same: neither is newer. */
  async function findVersionOfRank(tx: Db, id: string, version: string): Promise<VersionHead | undefined> {
    const all = await listVersionsOf(tx, id);
    return all.find((one) => one.version === version) ?? all.find((one) => compareVersions(one.version, version) === 0);
  }

  function requireUnused(
    before: VersionHead | undefined,
    { id, version, digest }: { id: string; version: string; digest: string },
  ): void {
    if (before === undefined) return;
    if (before.deleted_at === null) throw marketErrors.OPERATOR_VERSION_ALREADY_EXISTS({ id, version: before.version });
    if (before.digest !== digest || before.version !== version)
      throw marketErrors.OPERATOR_VERSION_SPENT({ id, version: before.version });
  }

  async function requireFree({ manifest: { id, version }, digest }: OperatorPackage, by: Principal): Promise<void> {
    if (operators.some((operator) => operator.id === id))
      throw marketErrors.OPERATOR_ALREADY_EXISTS({ id, owner: 'Tilth' });
    const row = await db.write((tx) => lockOperatorRow(tx, id));
    if (row !== undefined && row.created_by !== by.username && by.role !== 'ADMIN') {
      throw marketErrors.OPERATOR_ALREADY_EXISTS({ id, owner: row.created_by });
    }
    requireUnused(await findVersionOfRank(db.read, id, version), { id, version, digest });
  }

  async function store(found: OperatorPackage, metrics: PackageMetrics, by: Principal): Promise<void> {
    const { manifest, digest, readme, icon } = found;
    const { id, version } = manifest;
    const packed = packFiles(found.files);
    const writer = blobs.create();
    await writer.write(packed);
    const staged = await writer.finish();
    const row = {
      operator_id: id,
      version,
      digest,
      blob_id: staged.id,
      size_bytes: packed.length,
      manifest: JSON.stringify(manifest),
      readme,
      icon: icon === undefined ? null : Buffer.from(icon).toString('base64'),
      signature: signatureOf(found),
      metrics: JSON.stringify(metrics),
      approved_at: null,
      approved_by: null,
      created_at: isoNow(clock),
      created_by: by.username,
      deleted_at: null,
    };
    try {
      await blobs.flush();
      await db.write(async (tx) => {
        const { created_at, created_by } = row;
        await insertOperatorRow(tx, { id, installed_version: null, disabled: 0, created_at, created_by });
        const owner = await lockOperatorRow(tx, id);
        if (owner !== undefined && owner.created_by !== by.username && by.role !== 'ADMIN') {
          throw marketErrors.OPERATOR_ALREADY_EXISTS({ id, owner: owner.created_by });
        }
        const before = await findVersionOfRank(tx, id, version);
        requireUnused(before, { id, version, digest });
        await blobs.adopt(tx, [staged]);
        if (before === undefined) await insertVersion(tx, row);
        else await updateVersion(tx, id, version, row);
      });
    } finally {
      await blobs.settle([staged]);
    }
  }

  return { requireFree, store };
}

/** The signature in its stored form. */
export function signatureOf({ signature }: OperatorPackage): string | null {
  return signature === undefined ? null : Buffer.from(signature).toString('base64');
}
