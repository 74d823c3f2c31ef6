import { listRunTraces, type VersionSpan } from '../../../runs/index.ts';
import type { Database, Db } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import { findDataset, findDatasetNames } from '../queries/datasets.ts';
import { findVersion } from '../queries/versions.ts';
import { lineageDepth, lineageNodes, type DatasetLineage, type LineageQuery } from '../schemas/lineage.ts';
import { createLineageGraph, type IndexedVersion, type LineageGraph } from './lineage-graph.ts';

/** What other areas know of the way that data takes. */
export type LineageSources = {
  /** Knowledge bases with documents of the versions, at most so many. */
  listIndexed(db: Db, spans: readonly VersionSpan[], limit: number): Promise<IndexedVersion[]>;
  /** Names of models by id, without deleted ones. */
  findModelNames(references: readonly string[]): Promise<Map<string, string>>;
};

export type Lineages = {
  /** What a dataset was made of and what was made of it. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  trace(datasetId: string, query: LineageQuery): Promise<DatasetLineage>;
};

/** `sources` is filled when all areas are there. */
export function createLineages({ db, sources }: { db: Database; sources: readonly LineageSources[] }): Lineages {
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
      if (direction !== 'DOWN') isCut.push(await follow(graph, 'up', { datasetId, to: version }, bounds));
      if (direction !== 'UP') isCut.push(await follow(graph, 'down', { datasetId, from: version }, bounds));
      const rows = await findDatasetNames(db.scan, graph.datasetIds());
      const datasets = new Map(rows.map(({ id, name }) => [id, name]));
      const models = new Map<string, string>();
      for (const source of sources) {
        for (const [id, name] of await source.findModelNames(graph.models())) models.set(id, name);
      }
      return graph.finish(root, { datasets, models }, isCut.includes(true));
    },
  };

  /** Adds the runs in one direction, level by level; returns whether some were left out. */
  async function follow(
    graph: LineageGraph,
    way: 'up' | 'down',
    start: VersionSpan,
    { depth, limit }: { depth: number; limit: number },
  ): Promise<boolean> {
    const seen = new Set<string>();
    let isCut = false;
    let spans: VersionSpan[] = [start];
    for (let level = 0; spans.length > 0; level += 1) {
      const room = limit - graph.size;
      if (way === 'down') isCut = (await addIndexed(graph, spans, room)) || isCut;
      // One more than there is room for tells whether some are left out.
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
        for (const { datasetId, role, version } of trace.datasets) {
          if (way === 'up' && role !== 'TARGET') next.push({ datasetId, to: version });
          if (way === 'down' && role === 'TARGET') next.push({ datasetId, from: version });
        }
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
