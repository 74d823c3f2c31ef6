import { childOf, descendantsOf, elementsOf, textIn, type XmlElement } from './xml-tree.ts';

export type DiagramItem = { text: string; depth: number };

/** The texts of a diagram (SmartArt) in its order, nested as its connections say; points without one come last. */
export function diagramItems(root: XmlElement): DiagramItem[] {
  const model = childOf(root, 'dataModel');
  const points = new Map<string, { type: string; texts: string[] }>();
  for (const point of listOf(childOf(model, 'ptLst'), 'pt')) {
    const { modelId, type = 'node' } = point.attributes;
    if (modelId === undefined || points.has(modelId)) continue;
    const body = childOf(point, 't');
    const texts = body === undefined ? [] : [...elementsOf(body)].filter(({ name }) => name === 'a:p').map(textOf);
    points.set(modelId, { type, texts });
  }
  const children = new Map<string, { id: string; order: number }[]>();
  for (const { attributes } of listOf(childOf(model, 'cxnLst'), 'cxn')) {
    const { type = 'parOf', srcId = '', destId = '', srcOrd = '0' } = attributes;
    if (type !== 'parOf' || !points.has(srcId) || !points.has(destId)) continue;
    const list = children.get(srcId) ?? [];
    list.push({ id: destId, order: Number(srcOrd) || 0 });
    children.set(srcId, list);
  }
  for (const list of children.values()) list.sort((one, other) => one.order - other.order);

  const items: DiagramItem[] = [];
  const visited = new Set<string>();
  const isContent = (id: string): boolean => ['node', 'asst'].includes(points.get(id)?.type ?? '');
  const walk = (start: string, startDepth: number): void => {
    const waiting = [{ id: start, depth: startDepth }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { id, depth } = next;
      if (visited.has(id)) continue;
      visited.add(id);
      for (const text of isContent(id) ? (points.get(id)?.texts ?? []) : [])
        if (text.trim() !== '') items.push({ text, depth: Math.max(0, depth) });
      for (const child of (children.get(id) ?? []).toReversed()) waiting.push({ id: child.id, depth: depth + 1 });
    }
  };
  for (const [id, { type }] of points) if (type === 'doc') walk(id, -1);
  for (const id of points.keys()) if (!visited.has(id) && isContent(id)) walk(id, 0);
  return items;
}

function listOf(list: XmlElement | undefined, name: string): XmlElement[] {
  return list === undefined ? [] : [...elementsOf(list)].filter((element) => element.name === name);
}

function textOf(paragraph: XmlElement): string {
  return [...descendantsOf(paragraph, 'a:t')].map(textIn).join('');
}
