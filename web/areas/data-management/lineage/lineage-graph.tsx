import {
  IconBooks,
  IconBrain,
  IconDatabase,
  IconPlayerPlay,
  IconPlug,
  IconPuzzle,
  IconTableShortcut,
  IconTemplate,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetLineage, LineageNode } from '../../../api/schema.ts';
import { useAreas } from '../../../shell/area.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import './lineage.css';
import { placeNodes } from './graph-layout.ts';
import { addressOf, useNameOf } from './lineage-things.ts';

const box = { width: 196, height: 54, across: 74, down: 18, edge: 16 };

export const thingIcons = {
  DATASET_VERSION: IconDatabase,
  RUN: IconPlayerPlay,
  QUERY: IconTableShortcut,
  OPERATOR: IconPuzzle,
  MODEL: IconBrain,
  TEMPLATE: IconTemplate,
  CONNECTOR: IconPlug,
  KNOWLEDGE_BASE: IconBooks,
} as const satisfies Record<LineageNode['kind'], unknown>;

/** Datasets, runs and what they used as a graph from left to right; each node links to its page. */
export function LineageGraph({ root, nodes, edges }: Pick<DatasetLineage, 'root' | 'nodes' | 'edges'>) {
  const { t } = useTranslation();
  const [near, setNear] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  const placed = useMemo(() => placeNodes(nodes, edges), [nodes, edges]);
  const places = useMemo(
    () =>
      new Map(
        placed.map(({ node, column, row }) => [
          node.id,
          {
            x: box.edge + column * (box.width + box.across),
            y: box.edge + row * (box.height + box.down),
          },
        ]),
      ),
    [placed],
  );
  const width = Math.max(0, ...[...places.values()].map(({ x }) => x)) + box.width + box.edge;
  const height = Math.max(0, ...[...places.values()].map(({ y }) => y)) + box.height + box.edge;
  // Centres the root of the lineage.
  useEffect(() => {
    const place = places.get(root);
    const element = frame.current;
    if (place === undefined || element === null) return;
    element.scrollTo({
      left: place.x + box.width / 2 - element.clientWidth / 2,
      top: place.y + box.height / 2 - element.clientHeight / 2,
      behavior: 'instant',
    });
  }, [places, root]);
  return (
    <div className="lineage-frame" ref={frame} tabIndex={0} role="group" aria-label={t('viewer.lineage.graph')}>
      <div style={{ position: 'relative', width, height }}>
        <svg width={width} height={height} aria-hidden className="lineage-edges">
          <defs>
            <marker
              id="lineage-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0,0 L8,4 L0,8 z" />
            </marker>
          </defs>
          {edges.map(({ from, to, kind }) => {
            const [a, b] = [places.get(from), places.get(to)];
            if (a === undefined || b === undefined) return null;
            const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2];
            const bend = Math.max(30, Math.abs(x2 - x1) / 2);
            return (
              <path
                key={`${from} ${to} ${kind}`}
                d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2 - 1},${y2}`}
                data-kind={kind}
                data-near={near === from || near === to || undefined}
                markerEnd="url(#lineage-arrow)"
              />
            );
          })}
        </svg>
        <ul className="lineage-nodes" aria-label={t('viewer.lineage.things')}>
          {placed.map(({ node }) => (
            <li
              key={node.id}
              style={{
                left: places.get(node.id)?.x,
                top: places.get(node.id)?.y,
                width: box.width,
                height: box.height,
              }}
              data-kind={node.kind}
              data-root={node.id === root || undefined}
              data-hidden={node.hidden || undefined}
              onMouseEnter={() => setNear(node.id)}
              onMouseLeave={() => setNear(undefined)}
              onFocus={() => setNear(node.id)}
              onBlur={() => setNear(undefined)}
            >
              <Thing node={node} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** The box of a node: its kind, its name, and a summary of what a run did. */
function Thing({ node }: { node: LineageNode }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const areas = useAreas().flatMap(({ tasks }) => tasks ?? []);
  const Icon = thingIcons[node.kind];
  const name = useNameOf()(node);
  const { run, documents } = node;
  const below =
    run !== undefined
      ? t('viewer.lineage.counts', {
          in: formatCount(run.counts.in, locale),
          kept: formatCount(run.counts.kept, locale),
        })
      : documents !== undefined
        ? t('viewer.lineage.documents', { count: documents })
        : '';
  const words = (
    <>
      <span className="lineage-kind">
        <Icon size={13} aria-hidden /> {t(`viewer.lineage.kinds.${node.kind}`)}
        {below !== '' && ` · ${below}`}
      </span>
      <span className="lineage-name">{name}</span>
    </>
  );
  const address = addressOf(node, areas);
  return address === undefined ? (
    <div className="lineage-thing" title={name}>
      {words}
    </div>
  ) : (
    <Link to={address} className="lineage-thing" title={name}>
      {words}
    </Link>
  );
}
