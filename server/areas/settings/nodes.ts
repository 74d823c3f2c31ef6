import { slicePage, type Page, type PageRequest } from '../../kernel/page.ts';
import type { Nodes } from '../../nodes/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { NodeRecord } from './schemas/nodes.ts';

/** The nodes of the installation, and the number of runs that each is driving. */
export type NodeList = { list(page: PageRequest): Promise<Page<NodeRecord>> };

export function createNodeList({
  nodes,
  runs,
}: {
  nodes: Pick<Nodes, 'list'>;
  runs: Pick<Runs, 'countDriven'>;
}): NodeList {
  return {
    async list(page) {
      const [all, driven] = await Promise.all([nodes.list(), runs.countDriven()]);
      return slicePage(
        all.map(({ place, ...node }) => ({ ...node, runs: driven.get(place) ?? 0 })),
        page,
      );
    },
  };
}
