import { isoNow, type Clock } from '../../kernel/clock.ts';
import { slicePage, type Page } from '../../kernel/page.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Operator } from '../../operators/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { MarketOperatorsTable } from '../../storage/database/tables/operator-market.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { toMarketOperator } from './built-in.ts';
import { isAllowed, notApproved, type PublishedVersion } from './catalogue.ts';
import { marketErrors } from './errors.ts';
import { lockOperatorRow, updateOperatorRow } from './queries/operators.ts';
import { putRating } from './queries/ratings.ts';
import { findVersion, listVersionsOf, updateVersion } from './queries/versions.ts';
import { facetsOf, selectOperators } from './operator-list.ts';
import type { FacetsQuery, MarketOperator, OperatorFacets, OperatorsQuery } from './schemas/operators.ts';
import type { OperatorVersionView } from './schemas/versions.ts';
import { createOperatorViews, toVersionView, viewOf } from './operator-views.ts';
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
  const { all, get, getPublished } = createOperatorViews({ db, tasks, operators, signatures });

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
        const toDelete = kept.filter((one) => version === undefined || one.version === version);
        if (toDelete.length === 0) throw marketErrors.OPERATOR_VERSION_NOT_FOUND({ id, version: version ?? '' });
        const installed = toDelete.find((one) => one.version === row.installed_version);
        if (installed !== undefined) throw marketErrors.OPERATOR_INSTALLED({ id, version: installed.version });
        for (const { version: number, blob_id } of toDelete) {
          await updateVersion(tx, id, number, { deleted_at: isoNow(clock), blob_id: null });
          if (blob_id !== null) await blobs.release(tx, [blob_id]);
        }
      });
    },
  };
}
