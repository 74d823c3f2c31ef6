import {
  compareVersions,
  toOperator,
  type OperatorManifest,
  type PackageMetrics,
} from '../../operator-packages/index.ts';
import { invalid, type AppError } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { marketErrors } from './errors.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { MarketOperatorsTable } from '../../storage/database/tables/operator-market.ts';
import { findOperatorRow, listOperatorRows } from './queries/operators.ts';
import { listVersionHeads, listVersionsOf, type VersionHead } from './queries/versions.ts';

/** A version of a published operator. */
export type PublishedVersion = {
  readonly version: string;
  readonly manifest: OperatorManifest;
  readonly metrics: PackageMetrics;
  readonly head: VersionHead;
};

/** A published operator with its versions, newest first, without deleted ones. */
export type PublishedOperator = {
  readonly row: MarketOperatorsTable;
  readonly versions: readonly PublishedVersion[];
};

/** A step's choice of an operator, optionally with a version. */
export type OperatorChoice = { readonly operatorId: string; readonly version?: string | undefined };

/** The operators available to steps. */
export type OperatorCatalogue = {
  /**
   * The built-in operators, and the published ones that the steps name: for each, the installed version first, then the
   * other named versions. Versions that are not installed, disabled, deleted or not approved are left out.
   */
  operatorsFor(steps: readonly OperatorChoice[]): Promise<readonly Operator[]>;
};

export function createCatalogue({
  db,
  operators,
}: {
  db: Database;
  operators: readonly Operator[];
}): OperatorCatalogue {
  async function usableVersions(id: string, named: readonly string[]): Promise<Operator[]> {
    const published = await findPublished(db, id);
    if (published === undefined || published.row.installed_version === null || published.row.disabled === 1) return [];
    const wanted = new Set([published.row.installed_version, ...named]);
    return [...wanted].flatMap((wish) => {
      const found = published.versions.find(({ version }) => version === wish);
      return found === undefined || !isAllowed(found) ? [] : [toOperator(found.manifest, found.head.digest)];
    });
  }

  return {
    async operatorsFor(steps) {
      const named = new Map<string, string[]>();
      for (const { operatorId, version } of steps) {
        if (operators.some(({ id }) => id === operatorId)) continue;
        named.set(operatorId, [...(named.get(operatorId) ?? []), ...(version === undefined ? [] : [version])]);
      }
      if (named.size === 0) return operators;
      const usable = await Promise.all([...named].map(([id, versions]) => usableVersions(id, versions)));
      return [...operators, ...usable.flat()];
    },
  };
}

/**
 * Returns a version of an operator that may run, installed or not: by default the installed version, else the newest.
 * Throws OPERATOR_NOT_FOUND, OPERATOR_VERSION_NOT_FOUND, OPERATOR_DISABLED, OPERATOR_NOT_APPROVED.
 */
export async function getRunnable(
  { db, operators }: { db: Database; operators: readonly Operator[] },
  id: string,
  version: string | undefined,
): Promise<Operator> {
  const builtIn = operators.find((operator) => operator.id === id);
  if (builtIn !== undefined) {
    if (version === undefined || version === builtIn.version) return builtIn;
    throw invalid(
      'version',
      parameterProblems.MUST_BE_INSTALLED_VERSION.reason({ version: builtIn.version, operator: id }),
    );
  }
  const published = await findPublished(db, id);
  if (published === undefined) throw marketErrors.OPERATOR_NOT_FOUND({ id });
  if (published.row.disabled === 1) throw marketErrors.OPERATOR_DISABLED({ id });
  const found =
    version === undefined ? shownVersion(published) : published.versions.find((one) => one.version === version);
  if (found === undefined) throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version: version ?? '' });
  if (!isAllowed(found)) throw notApproved(id, found);
  return toOperator(found.manifest, found.head.digest);
}

export function notApproved(id: string, { version, manifest }: PublishedVersion): AppError {
  const capabilities = (manifest.capabilities ?? []).join(', ');
  return marketErrors.OPERATOR_NOT_APPROVED({ id, version, capabilities });
}

/** Whether the version needs no capabilities, or an administrator has approved it. */
export function isAllowed({ manifest, head }: PublishedVersion): boolean {
  return (manifest.capabilities ?? []).length === 0 || head.approved_at !== null;
}

/** The version shown for an operator: the installed one, else the newest. */
export function shownVersion({ row, versions }: PublishedOperator): PublishedVersion | undefined {
  return versions.find(({ version }) => version === row.installed_version) ?? versions[0];
}

/** Finds a published operator with at least one version. */
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
      manifest: JSON.parse(head.manifest) as OperatorManifest,
      metrics: JSON.parse(head.metrics) as PackageMetrics,
      head,
    }))
    .toSorted((one, other) => compareVersions(other.version, one.version));
}
