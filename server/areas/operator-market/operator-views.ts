import type { Principal } from '../../kernel/principal.ts';
import { toOperator } from '../../operator-packages/index.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { examplesOf, toMarketOperator } from './built-in.ts';
import {
  findPublished,
  listPublished,
  shownVersion,
  type PublishedOperator,
  type PublishedVersion,
} from './catalogue.ts';
import { marketErrors } from './errors.ts';
import { findRating, listRatings } from './queries/ratings.ts';
import { findVersion } from './queries/versions.ts';
import type { MarketOperator } from './schemas/operators.ts';
import type { OperatorVersionView } from './schemas/versions.ts';
import { noRating, ratingOf } from './ratings.ts';
import type { PublisherSignatures } from './signatures.ts';

type Ratings = ReadonlyMap<string, MarketOperator['rating']>;

/** Operators of the market as the API shows them. */
export type OperatorViews = {
  all(): Promise<MarketOperator[]>;
  get(id: string, version: string | undefined, by: Principal): Promise<MarketOperator>;
  getPublished(id: string): Promise<PublishedOperator>;
};

export function createOperatorViews({
  db,
  tasks,
  operators,
  signatures,
}: {
  db: Database;
  tasks: Pick<TaskFloor, 'countUses'>;
  operators: readonly Operator[];
  signatures: Pick<PublisherSignatures, 'reader'>;
}): OperatorViews {
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

  return { all, get, getPublished };
}

/** A version of a published operator, without signature, usage and ratings. */
export function viewOf(
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

export function toVersionView(view: MarketOperator, sizeBytes: number): OperatorVersionView {
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
