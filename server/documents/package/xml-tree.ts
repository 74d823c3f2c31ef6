import type { OfficePackage } from './office-package.ts';
import type { XmlAttributes } from './xml-events.ts';

/** An element with this program's prefixes. */
export type XmlElement = { name: string; attributes: XmlAttributes; children: (XmlElement | string)[] };

/** A part as a tree, for parts that are small or whose elements refer to others; see `readXml` for the names. */
export async function readTree(
  found: OfficePackage,
  part: string,
  home: string,
): Promise<{ root: XmlElement; isComplete: boolean }> {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  const { isComplete } = await found.parse(part, home, {
    open(name, attributes) {
      const element: XmlElement = { name, attributes, children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    text(text) {
      open.at(-1)?.children.push(text);
    },
    close() {
      open.pop();
    },
  });
  return { root, isComplete };
}

/** The elements inside, in order; of content written for several versions, the one that this program can read. */
export function* elementsOf({ children }: XmlElement): Generator<XmlElement> {
  for (const child of children) {
    if (typeof child === 'string') continue;
    if (child.name !== 'mc:AlternateContent') yield child;
    else {
      const branch = branchOf(child);
      if (branch !== undefined) yield* elementsOf(branch);
    }
  }
}

function branchOf(element: XmlElement): XmlElement | undefined {
  const branches = element.children.filter((child) => typeof child !== 'string');
  const isRead = ({ name, attributes }: XmlElement): boolean =>
    name === 'mc:Choice' && (attributes['Requires'] ?? '').split(/\s+/).every((prefix) => readExtensions.has(prefix));
  return branches.find(isRead) ?? branches.find(({ name }) => name === 'mc:Fallback') ?? branches[0];
}

/** Extensions of Office Open XML that are read, by the prefixes that producers give them. */
const readExtensions = new Set([
  '',
  'a',
  'a14',
  'c',
  'cx',
  'cx1',
  'm',
  'p',
  'pic',
  'v',
  'w',
  'wp',
  'wp14',
  'wpc',
  'wpg',
  'wps',
]);

/** The first element inside with this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  if (element === undefined) return undefined;
  for (const child of elementsOf(element)) if (child.name === name) return child;
  return undefined;
}

/** All elements below with this name, in order; those within each other as well. */
export function* descendantsOf(element: XmlElement, name: string): Generator<XmlElement> {
  for (const child of elementsOf(element)) {
    if (child.name === name) yield child;
    yield* descendantsOf(child, name);
  }
}

/** The first element below with this name. */
export function descendantOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element === undefined ? undefined : (descendantsOf(element, name).next().value ?? undefined);
}

/** The text of an element itself. */
export function textIn(element: XmlElement | undefined): string {
  return element?.children.filter((child) => typeof child === 'string').join('') ?? '';
}

/** Whether a property that is on by its presence is not switched off. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(?:0|false|off|none)$/i.test(value);
}
