import { compareVersions, toOperator, type Manifest, type PackageMetrics } from '../../operator-packages/index.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { MarketOperatorsTable } from '../../storage/database/tables/operator-market.ts';
import { findOperatorRow, listOperatorRows, listVersionHeads, listVersionsOf, type VersionHead } from './queries.ts';

/** A version of a published operator. */
export type PublishedVersion = {
  readonly version: string;
  readonly manifest: Manifest;
  readonly metrics: PackageMetrics;
  readonly head: VersionHead;
};

/** A published operator with its versions, the newest first; deleted ones are missing. */
export type PublishedOperator = {
  readonly row: MarketOperatorsTable;
  readonly versions: readonly PublishedVersion[];
};

/** An operator that a step can use: metadata of one version, and the digest of its package if it is published. */
export type UsableOperator = { readonly operator: Operator; readonly digest: string | null };

/** Why a step can not use an operator. */
export type Unusable = 'UNKNOWN' | 'NOT_INSTALLED' | 'DISABLED' | 'NO_VERSION' | 'NOT_APPROVED';

/** What is published, as other areas ask for it. */
export type OperatorCatalogue = {
  /** A version of an operator, by default the installed one. */
  find(id: string, version: string | undefined): Promise<UsableOperator | Unusable>;
};

export function createCatalogue({
  db,
  operators,
}: {
  db: Database;
  operators: readonly Operator[];
}): OperatorCatalogue {
  return {
    async find(id, version) {
      const builtIn = operators.find((operator) => operator.id === id);
      if (builtIn !== undefined) {
        return version === undefined || version === builtIn.version
          ? { operator: builtIn, digest: null }
          : 'NO_VERSION';
      }
      const published = await findPublished(db, id);
      if (published === undefined) return 'UNKNOWN';
      const { row, versions } = published;
      if (row.installed_version === null) return 'NOT_INSTALLED';
      if (row.disabled === 1) return 'DISABLED';
      const found = versions.find((one) => one.version === (version ?? row.installed_version));
      if (found === undefined) return 'NO_VERSION';
      if (!isAllowed(found)) return 'NOT_APPROVED';
      return { operator: toOperator(found.manifest), digest: found.head.digest };
    },
  };
}

/** Whether it asks for nothing, or an administrator has approved it. */
export function isAllowed({ manifest, head }: PublishedVersion): boolean {
  return (manifest.capabilities ?? []).length === 0 || head.approved_at !== null;
}

/** The version that stands for the operator: the installed one, or else the newest. */
export function shownVersion({ row, versions }: PublishedOperator): PublishedVersion | undefined {
  return versions.find(({ version }) => version === row.installed_version) ?? versions[0];
}

/** A published operator that has a version. */
export async function findPublished(db: Database, id: string): Promise<PublishedOperator | undefined> {
  const row = await findOperatorRow(db.read, id);
  if (row === undefined) return undefined;
  const versions = toVersions((await listVersionsOf(db.read, id)).filter(({ deleted_at }) => deleted_at === null));
  return versions.length === 0 ? undefined : { row, versions };
}

export async function listPublished(db: Database): Promise<PublishedOperator[]> {
  const heads = new Map<string, VersionHead[]>();
  for (const head of await listVersionHeads(db.scan)) {
    const known = heads.get(head.operator_id);
    if (known === undefined) heads.set(head.operator_id, [head]);
    else known.push(head);
  }
  const rows = await listOperatorRows(db.scan);
  return rows.flatMap((row) => {
    const versions = toVersions(heads.get(row.id) ?? []);
    return versions.length === 0 ? [] : [{ row, versions }];
  });
}

export function toVersions(heads: readonly VersionHead[]): PublishedVersion[] {
  return heads
    .map((head) => ({
      version: head.version,
      manifest: JSON.parse(head.manifest) as Manifest,
      metrics: JSON.parse(head.metrics) as PackageMetrics,
      head,
    }))
    .toSorted((one, other) => compareVersions(other.version, one.version));
}
