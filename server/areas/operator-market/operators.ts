import { isoNow, type Clock } from '../../kernel/clock.ts';
import { slicePage, type Page } from '../../kernel/page.ts';
import type { Principal } from '../../kernel/principal.ts';
import { toOperator } from '../../operator-packages/index.ts';
import type { Operator } from '../../operators/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { MarketOperatorsTable } from '../../storage/database/tables/operator-market.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { examplesOf, toMarketOperator } from './built-in.ts';
import {
  findPublished,
  isAllowed,
  listPublished,
  notApproved,
  shownVersion,
  type PublishedOperator,
  type PublishedVersion,
} from './catalogue.ts';
import { marketErrors } from './errors.ts';
import { lockOperatorRow, updateOperatorRow } from './queries/operators.ts';
import { findRating, listRatings, putRating } from './queries/ratings.ts';
import { findVersion, listVersionsOf, updateVersion } from './queries/versions.ts';
import { facetsOf, selectOperators } from './operator-list.ts';
import type { FacetsQuery, MarketOperator, OperatorFacets, OperatorsQuery } from './schemas/operators.ts';
import type { OperatorVersionView } from './schemas/versions.ts';
import { noRating, ratingOf } from './ratings.ts';
import type { PublisherSignatures } from './signatures.ts';

/**
 * Operators of the market. Methods throw OPERATOR_NOT_FOUND, OPERATOR_VERSION_NOT_FOUND; changes to built-in ones
 * OPERATOR_BUILT_IN.
 */
export type Operators = {
  list(query: OperatorsQuery, by: Principal): Promise<Page<MarketOperator>>;
  /** The values that the list can be filtered by. */
  facets(query: FacetsQuery): Promise<OperatorFacets>;
  get(id: string, version: string | undefined, by: Principal): Promise<MarketOperator>;
  /** Newest first. */
  versions(id: string): Promise<OperatorVersionView[]>;
  /** Throws OPERATOR_DISABLED, OPERATOR_NOT_APPROVED. */
  install(id: string, version: string | undefined, by: Principal): Promise<MarketOperator>;
  uninstall(id: string, by: Principal): Promise<MarketOperator>;
  approve(id: string, version: string | undefined, by: Principal): Promise<MarketOperator>;
  setDisabled(id: string, disabled: boolean, by: Principal): Promise<MarketOperator>;
  /** Throws OPERATOR_IS_YOURS. */
  rate(id: string, stars: number, by: Principal): Promise<MarketOperator>;
  /** Deletes one version or all. Throws OPERATOR_INSTALLED, OPERATOR_NOT_YOURS. */
  remove(id: string, version: string | undefined, by: Principal): Promise<void>;
};

type Ratings = ReadonlyMap<string, MarketOperator['rating']>;

export function createOperators({
  db,
  clock,
  blobs,
  tasks,
  operators,
  signatures,
}: {
  db: Database;
  clock: Clock;
  blobs: Pick<BlobStore, 'release'>;
  tasks: Pick<TaskFloor, 'countUses'>;
  operators: readonly Operator[];
  signatures: Pick<PublisherSignatures, 'reader'>;
}): Operators {
  async function ratings(): Promise<Ratings> {
    const distributions = new Map<string, number[]>();
    for (const { operatorId, stars, count } of await listRatings(db.scan)) {
      const distribution = distributions.get(operatorId) ?? [0, 0, 0, 0, 0];
      distribution[stars - 1] = count;
      distributions.set(operatorId, distribution);
    }
    return new Map([...distributions].map(([id, distribution]) => [id, ratingOf(distribution)]));
  }

  /** All operators, with everything that the list shows and sorts by. */
  async function all(): Promise<MarketOperator[]> {
    const published = await listPublished(db);
    const ids = [...operators.map(({ id }) => id), ...published.map(({ row }) => row.id)];
    const uses = await tasks.countUses('OPERATOR', ids);
    const rated = await ratings();
    const readSignature = await signatures.reader();
    const views = published.flatMap((one) => {
      const version = shownVersion(one);
      if (version === undefined) return [];
      const { row } = one;
      const view = viewOf(one, version, { readme: '', icon: null });
      const signature = readSignature(version.head);
      return [{ ...view, signature, usageCount: uses.get(row.id) ?? 0, rating: rated.get(row.id) ?? noRating }];
    });
    const builtIn = operators.map((operator) => toMarketOperator(operator, uses.get(operator.id) ?? 0));
    return [...builtIn, ...views].map((view) => ({ ...view, rating: rated.get(view.id) ?? noRating }));
  }

  async function get(id: string, version: string | undefined, by: Principal): Promise<MarketOperator> {
    const uses = await tasks.countUses('OPERATOR', [id]);
    const usageCount = uses.get(id) ?? 0;
    const yourRating = (await findRating(db.read, id, by.userId)) ?? null;
    const rating = (await ratings()).get(id) ?? noRating;
    const builtIn = operators.find((operator) => operator.id === id);
    if (builtIn !== undefined) {
      if (version !== undefined && version !== builtIn.version) {
        throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version });
      }
      return { ...toMarketOperator(builtIn, usageCount), rating, yourRating };
    }
    const published = await getPublished(id);
    const shown =
      version === undefined ? shownVersion(published) : published.versions.find((one) => one.version === version);
    const stored = shown === undefined ? undefined : await findVersion(db.read, id, shown.version);
    if (shown === undefined || stored === undefined) {
      throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version: version ?? '' });
    }
    const signature = (await signatures.reader())(stored);
    return { ...viewOf(published, shown, stored), signature, usageCount, rating, yourRating };
  }

  async function getPublished(id: string): Promise<PublishedOperator> {
    const published = await findPublished(db, id);
    if (published === undefined) throw marketErrors.OPERATOR_NOT_FOUND({ id });
    return published;
  }

  function refuseBuiltIn(id: string): void {
    if (operators.some((operator) => operator.id === id)) throw marketErrors.OPERATOR_BUILT_IN({ id });
  }

  /** Selects a version, changes the operator in one transaction, and returns the changed operator. */
  async function change(
    id: string,
    version: string | undefined,
    by: Principal,
    work: (tx: Tx, row: MarketOperatorsTable, version: PublishedVersion) => Promise<void>,
  ): Promise<MarketOperator> {
    refuseBuiltIn(id);
    const { versions } = await getPublished(id);
    const chosen = version === undefined ? versions[0] : versions.find((one) => one.version === version);
    if (chosen === undefined) throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version: version ?? '' });
    await db.write(async (tx) => {
      const row = await lockOperatorRow(tx, id);
      const stored = await findVersion(tx, id, chosen.version);
      if (row === undefined || stored === undefined || stored.deleted_at !== null) {
        throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version: chosen.version });
      }
      await work(tx, row, { ...chosen, head: stored });
    });
    return get(id, undefined, by);
  }

  return {
    async list(query, by) {
      const page = slicePage(selectOperators(await all(), query), query);
      const content = await Promise.all(
        page.content.map(async (view) => (view.source === 'BUILT_IN' ? view : get(view.id, view.version, by))),
      );
      return { ...page, content };
    },
    async facets({ source }) {
      return facetsOf((await all()).filter((operator) => source === undefined || operator.source === source));
    },
    get,
    async versions(id) {
      const builtIn = operators.find((operator) => operator.id === id);
      if (builtIn !== undefined) return [toVersionView(toMarketOperator(builtIn, 0), 0)];
      const published = await getPublished(id);
      const readSignature = await signatures.reader();
      return published.versions.map((version) => ({
        ...toVersionView(viewOf(published, version, { readme: '', icon: null }), version.head.size_bytes),
        installed: version.version === published.row.installed_version,
        signature: readSignature(version.head),
      }));
    },
    install: (id, given, by) =>
      change(id, given, by, async (tx, row, chosen) => {
        const { version } = chosen;
        if (row.disabled === 1) throw marketErrors.OPERATOR_DISABLED({ id });
        if (!isAllowed(chosen)) throw notApproved(id, chosen);
        await updateOperatorRow(tx, id, { installed_version: version });
      }),
    uninstall: (id, by) => change(id, undefined, by, (tx) => updateOperatorRow(tx, id, { installed_version: null })),
    approve: (id, given, by) =>
      change(id, given, by, (tx, _row, { version }) =>
        updateVersion(tx, id, version, { approved_at: isoNow(clock), approved_by: by.username }),
      ),
    setDisabled: (id, disabled, by) =>
      change(id, undefined, by, (tx) => updateOperatorRow(tx, id, { disabled: disabled ? 1 : 0 })),
    async rate(id, stars, by) {
      if (!operators.some((operator) => operator.id === id)) {
        const { row, versions } = await getPublished(id);
        const authors = [row.created_by, ...versions.map(({ head }) => head.created_by)];
        if (authors.includes(by.username)) throw marketErrors.OPERATOR_IS_YOURS({ id });
      }
      const row = { operator_id: id, user_id: by.userId, stars, updated_at: isoNow(clock) };
      await db.write((tx) => putRating(tx, row));
      return get(id, undefined, by);
    },
    async remove(id, version, by) {
      refuseBuiltIn(id);
      await getPublished(id);
      await db.write(async (tx) => {
        const row = await lockOperatorRow(tx, id);
        if (row === undefined) throw marketErrors.OPERATOR_NOT_FOUND({ id });
        if (row.created_by !== by.username && by.role !== 'ADMIN') {
          throw marketErrors.OPERATOR_NOT_YOURS({ id, owner: row.created_by });
        }
        const kept = (await listVersionsOf(tx, id)).filter(({ deleted_at }) => deleted_at === null);
        const doomed = kept.filter((one) => version === undefined || one.version === version);
        if (doomed.length === 0) throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version: version ?? '' });
        const installed = doomed.find((one) => one.version === row.installed_version);
        if (installed !== undefined) throw marketErrors.OPERATOR_INSTALLED({ id, version: installed.version });
        for (const { version: number, blob_id } of doomed) {
          await updateVersion(tx, id, number, { deleted_at: isoNow(clock), blob_id: null });
          if (blob_id !== null) await blobs.release(tx, [blob_id]);
        }
      });
    },
  };
}

function viewOf(
  { row, versions }: PublishedOperator,
  { manifest, metrics, head }: PublishedVersion,
  texts: { readme: string; icon: string | null },
): MarketOperator {
  const operator = toOperator(manifest);
  return {
    ...toMarketOperator(operator, 0),
    author: manifest.author,
    licence: manifest.licence,
    paramsSchema: { ...manifest.params },
    capabilities: [...(manifest.capabilities ?? [])],
    models: [...(manifest.models ?? [])],
    source: 'PUBLISHED',
    status: row.disabled === 1 ? 'DISABLED' : head.approved_at === null ? 'PUBLISHED' : 'APPROVED',
    installed: row.installed_version === head.version,
    digest: head.digest,
    readme: texts.readme,
    icon: texts.icon === null ? null : `data:image/png;base64,${texts.icon}`,
    changes: manifest.changes ?? null,
    metrics,
    examples: examplesOf(operator),
    latestVersion: versions[0]?.version ?? head.version,
    createdAt: head.created_at,
    createdBy: head.created_by,
  };
}

function toVersionView(view: MarketOperator, sizeBytes: number): OperatorVersionView {
  const { version, status, installed, digest, capabilities, models, signature, changes, metrics } = view;
  const { createdAt, createdBy } = view;
  return {
    version,
    status,
    installed,
    digest,
    sizeBytes,
    capabilities,
    models,
    signature,
    changes,
    metrics,
    createdAt,
    createdBy,
  };
}
