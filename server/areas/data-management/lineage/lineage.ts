import { listRunTraces, listTracesUsing, type RunTrace, type VersionSpan } from '../../../runs/index.ts';
import type { Database, Db } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import { findDataset, findDatasetNames } from '../queries/datasets.ts';
import { findVersion } from '../queries/versions.ts';
import {
  lineageDepth,
  lineageNodes,
  type DatasetLineage,
  type LineageQuery,
  type UseQuery,
} from '../schemas/lineage.ts';
import { createLineageGraph, modelIdOf, type IndexedVersion, type LineageGraph } from './lineage-graph.ts';

/** Lineage recorded by another area. */
export type LineageSource = {
  /** Knowledge bases with documents of the versions, at most `limit`. */
  listIndexed(db: Db, spans: readonly VersionSpan[], limit: number): Promise<IndexedVersion[]>;
  /** The versions that a knowledge base holds, or all knowledge bases that use a model for their vectors. */
  listHeld(
    db: Db,
    of: { knowledgeBase: string } | { models: readonly string[] },
    limit: number,
  ): Promise<IndexedVersion[]>;
  findKnowledgeBaseName(db: Db, id: string): Promise<string | undefined>;
};

export type Lineages = {
  /** The sources of a dataset and what was made from it. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  trace(datasetId: string, query: LineageQuery): Promise<DatasetLineage>;
  /** The sources and results of all uses of an operator, a model or a knowledge base. Throws LINEAGE_ROOT_NOT_FOUND. */
  traceUse(query: UseQuery): Promise<DatasetLineage>;
};

export function createLineages({
  db,
  sources,
  findModelNames,
}: {
  db: Database;
  sources: readonly LineageSource[];
  /** Names of models by id, without deleted ones. */
  findModelNames(references: readonly string[]): Promise<ReadonlyMap<string, string>>;
}): Lineages {
  return {
    async trace(datasetId, query) {
      const dataset = await findDataset(db.read, datasetId);
      if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const { direction = 'BOTH', version, depth = lineageDepth.default, limit = lineageNodes.default } = query;
      if (version !== undefined && (await findVersion(db.read, datasetId, version)) === undefined) {
        throw dataErrors.VERSION_NOT_FOUND({ version });
      }
      const graph = createLineageGraph();
      const root = graph.addVersion(datasetId, version ?? dataset.version);
      const bounds = { depth, limit };
      const isCut: boolean[] = [];
      if (direction !== 'DOWN') isCut.push(await follow(graph, 'up', [{ datasetId, to: version }], bounds));
      if (direction !== 'UP') isCut.push(await follow(graph, 'down', [{ datasetId, from: version }], bounds));
      return finish(graph, root, isCut.includes(true));
    },

    async traceUse({ kind, id, direction = 'BOTH', depth = lineageDepth.default, limit = lineageNodes.default }) {
      const graph = createLineageGraph();
      const name = await findRootName(kind, id);
      const traces =
        kind === 'KNOWLEDGE_BASE' ? [] : await listTracesUsing(db.scan, kind, namesOf(kind, id), limit + 1);
      const held = kind === 'OPERATOR' ? [] : await listHeld(kind, id, limit + 1);
      if (name === undefined && traces.length === 0 && held.length === 0 && kind !== 'OPERATOR')
        throw dataErrors.LINEAGE_ROOT_NOT_FOUND({ kind, id });
      const root = graph.addRoot(kind, id, name ?? null);
      let isCut = false;
      const seen = new Set<string>();
      const read: VersionSpan[] = [];
      const written: VersionSpan[] = [];
      for (const trace of traces) {
        isCut ||= graph.size >= limit;
        if (graph.size >= limit) break;
        seen.add(trace.runId);
        graph.addRun(trace);
        const { up, down } = spansOf(trace);
        read.push(...up);
        written.push(...down);
      }
      for (const one of held) {
        isCut ||= graph.size >= limit;
        if (graph.size >= limit) break;
        graph.addKnowledgeBase(one);
        read.push({ datasetId: one.datasetId, to: one.version });
      }
      // The runs that used the root are the first level.
      const rest = { depth: traces.length > 0 ? depth - 1 : depth, limit };
      if (direction !== 'DOWN') isCut = (await follow(graph, 'up', read, rest, seen)) || isCut;
      if (direction !== 'UP') isCut = (await follow(graph, 'down', written, rest, seen)) || isCut;
      return finish(graph, root, isCut);
    },
  };

  async function finish(graph: LineageGraph, root: string, isCut: boolean): Promise<DatasetLineage> {
    const rows = await findDatasetNames(db.scan, graph.datasetIds());
    const datasets = new Map(rows.map(({ id, name }) => [id, name]));
    return graph.finish(root, { datasets, models: await findModelNames(graph.models()) }, isCut);
  }

  async function findRootName(kind: UseQuery['kind'], id: string): Promise<string | undefined> {
    if (kind === 'OPERATOR') return id;
    if (kind === 'MODEL') return (await findModelNames([id])).get(id);
    for (const source of sources) {
      const name = await source.findKnowledgeBaseName(db.read, id);
      if (name !== undefined) return name;
    }
    return undefined;
  }

  async function listHeld(kind: 'MODEL' | 'KNOWLEDGE_BASE', id: string, limit: number): Promise<IndexedVersion[]> {
    const of = kind === 'MODEL' ? { models: namesOf(kind, id) } : { knowledgeBase: id };
    return (await Promise.all(sources.map((source) => source.listHeld(db.scan, of, limit)))).flat();
  }

  /** Adds the runs in one direction, level by level; returns whether some were left out. */
  async function follow(
    graph: LineageGraph,
    way: 'up' | 'down',
    start: readonly VersionSpan[],
    { depth, limit }: { depth: number; limit: number },
    known: ReadonlySet<string> = new Set(),
  ): Promise<boolean> {
    const seen = new Set(known);
    let isCut = false;
    let spans = start;
    for (let level = 0; spans.length > 0; level += 1) {
      const room = limit - graph.size;
      if (way === 'down') isCut = (await addIndexed(graph, spans, room)) || isCut;
      // Read one more than there is room for, to detect whether any are left out.
      const traces = await listRunTraces(
        db.scan,
        way === 'up' ? 'out' : 'in',
        spans,
        Math.max(room, 0) + seen.size + 1,
      );
      const fresh = traces.filter(({ runId }) => !seen.has(runId));
      if (fresh.length > 0 && level === depth) return true;
      const next: VersionSpan[] = [];
      for (const trace of fresh) {
        if (graph.size >= limit && !graph.hasRun(trace.runId)) return true;
        seen.add(trace.runId);
        graph.addRun(trace);
        next.push(...spansOf(trace)[way]);
      }
      spans = next;
    }
    return isCut;
  }

  async function addIndexed(graph: LineageGraph, spans: readonly VersionSpan[], room: number): Promise<boolean> {
    for (const source of sources) {
      const indexed = await source.listIndexed(db.scan, spans, Math.max(room, 0) + 1);
      for (const one of indexed.slice(0, Math.max(room, 0))) graph.addKnowledgeBase(one);
      if (indexed.length > room) return true;
    }
    return false;
  }
}

/** A built-in model has an id and a name, and runs record either. */
function namesOf(kind: UseQuery['kind'], id: string): string[] {
  return kind === 'MODEL' ? [...new Set([id, id.replace(/^builtin-/, 'builtin:'), modelIdOf(id)])] : [id];
}

/** Where to continue from a run: `up` to what it read, `down` to what it wrote. */
function spansOf({ datasets }: RunTrace): { up: VersionSpan[]; down: VersionSpan[] } {
  const { written = [], read = [] } = Object.groupBy(datasets, ({ role }) => (role === 'TARGET' ? 'written' : 'read'));
  return {
    up: read.map(({ datasetId, version }) => ({ datasetId, to: version })),
    down: written.map(({ datasetId, version }) => ({ datasetId, from: version })),
  };
}
