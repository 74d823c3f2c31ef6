import type { RunTrace } from '../../../runs/index.ts';
import type { DatasetLineage, LineageEdge, LineageNode, LineageRootKind } from '../schemas/lineage.ts';

/** A knowledge base that holds documents of a version of a dataset. */
export type IndexedVersion = {
  datasetId: string;
  version: number;
  documents: number;
  knowledgeBase: { id: string; name: string; embeddingModel: string };
};

/** Names of datasets and models by id; one that is missing was deleted. */
export type LineageNames = { datasets: ReadonlyMap<string, string>; models: ReadonlyMap<string, string> };

export type LineageGraph = {
  readonly size: number;
  addVersion(datasetId: string, version: number): string;
  /** Adds the node that the query starts from; all versions of an operator share one. */
  addRoot(kind: LineageRootKind, id: string, name: string | null): string;
  hasRun(runId: string): boolean;
  /** Adds the run with all that it read, used and wrote. */
  addRun(trace: RunTrace): void;
  addKnowledgeBase(indexed: IndexedVersion): void;
  datasetIds(): string[];
  models(): string[];
  finish(root: string, names: LineageNames, truncated: boolean): DatasetLineage;
};

/** The id of a model from its id or, if it is built in, from its name. */
export const modelIdOf = (reference: string): string => reference.replace(/^builtin:/, 'builtin-');

/** Nodes and edges, each once. */
export function createLineageGraph(): LineageGraph {
  const nodes = new Map<string, LineageNode>();
  const edges = new Map<string, LineageEdge>();
  let operator: string | undefined;

  function add(node: Omit<LineageNode, 'hidden'>): string {
    const known = nodes.get(node.id);
    if (known === undefined) nodes.set(node.id, { ...node, hidden: false });
    else if (node.documents !== undefined) known.documents = (known.documents ?? 0) + node.documents;
    return node.id;
  }

  function link(from: string, to: string, kind: LineageEdge['kind']): void {
    edges.set(`${from} ${to} ${kind}`, { from, to, kind });
  }

  function addVersion(datasetId: string, version: number): string {
    const id = `dataset:${datasetId}@${version}`;
    return add({ id, kind: 'DATASET_VERSION', name: null, refId: datasetId, version: String(version) });
  }

  function addModel(reference: string): string {
    const id = modelIdOf(reference);
    return add({ id: `model:${id}`, kind: 'MODEL', name: null, refId: id, version: null });
  }

  return {
    get size() {
      return nodes.size;
    },
    addVersion,
    hasRun: (runId) => nodes.has(`run:${runId}`),

    addRoot(kind, id, name) {
      if (kind === 'MODEL') return addModel(id);
      if (kind === 'OPERATOR') operator = id;
      const prefix = kind === 'OPERATOR' ? 'operator' : 'knowledge-base';
      return add({ id: `${prefix}:${id}`, kind, name, refId: id, version: null });
    },

    addRun(trace) {
      const { runId, area, taskId, number, counts, createdBy, startedAt, finishedAt, ingredients } = trace;
      const { taskName, steps = [], models = [], template, connector, sql } = ingredients;
      const query = sql === undefined ? undefined : { sql, createdBy, createdAt: finishedAt };
      const own = { id: `run:${runId}`, name: taskName, refId: runId, version: null };
      const run =
        query !== undefined
          ? add({ ...own, kind: 'QUERY', query })
          : add({
              ...own,
              kind: 'RUN',
              run: {
                area,
                taskId,
                number,
                stored: trace.isStored,
                steps: [...steps],
                counts,
                createdBy,
                startedAt,
                finishedAt,
              },
            });
      for (const { datasetId, role, version } of trace.datasets) {
        const node = addVersion(datasetId, version);
        if (role === 'TARGET') link(run, node, 'WROTE');
        else link(node, run, role === 'SOURCE' ? 'READ' : 'COMPARED');
      }
      for (const { operatorId, version, digest } of steps) {
        if (operatorId === operator) {
          link(`operator:${operatorId}`, run, 'USED');
          continue;
        }
        const id = `operator:${operatorId}@${version}`;
        const node = { id, kind: 'OPERATOR' as const, name: operatorId, refId: operatorId, version };
        link(add(digest === null ? node : { ...node, digest }), run, 'USED');
      }
      for (const model of models) link(addModel(model), run, 'USED');
      if (template !== undefined) {
        const version = String(template.version);
        const id = `template:${template.id}@${version}`;
        link(add({ id, kind: 'TEMPLATE', name: template.id, refId: template.id, version }), run, 'USED');
      }
      if (connector !== undefined) {
        const id = `connector:${connector}`;
        link(add({ id, kind: 'CONNECTOR', name: connector, refId: connector, version: null }), run, 'READ');
      }
    },

    addKnowledgeBase({ datasetId, version, documents, knowledgeBase: { id, name, embeddingModel } }) {
      const node = `knowledge-base:${id}`;
      link(addVersion(datasetId, version), node, 'INDEXED');
      add({ id: node, kind: 'KNOWLEDGE_BASE', name, refId: id, version: null, documents });
      link(addModel(embeddingModel), node, 'USED');
    },

    datasetIds: () => refsOf('DATASET_VERSION'),
    models: () => refsOf('MODEL'),

    finish(root, names, truncated) {
      for (const versions of Map.groupBy(ofKind('DATASET_VERSION'), ({ refId }) => refId).values()) {
        const inOrder = versions.toSorted((a, b) => Number(a.version) - Number(b.version));
        for (const [index, { id }] of inOrder.entries()) {
          const next = inOrder[index + 1];
          if (next !== undefined) link(id, next.id, 'BECAME');
        }
      }
      for (const node of nodes.values()) {
        if (node.kind !== 'DATASET_VERSION' && node.kind !== 'MODEL') continue;
        const name = (node.kind === 'MODEL' ? names.models : names.datasets).get(node.refId);
        node.name = name ?? null;
        node.hidden = name === undefined;
      }
      return { root, nodes: [...nodes.values()], edges: [...edges.values()], truncated };
    },
  };

  function ofKind(kind: LineageNode['kind']): LineageNode[] {
    return [...nodes.values()].filter((node) => node.kind === kind);
  }

  function refsOf(kind: LineageNode['kind']): string[] {
    return [...new Set(ofKind(kind).map(({ refId }) => refId))];
  }
}
