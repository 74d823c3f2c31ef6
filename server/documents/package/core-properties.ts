import type { OfficePackage } from './office-package.ts';

/** The title in the properties of a package; null if it has none. */
export async function readTitle(found: OfficePackage): Promise<string | null> {
  const [related] = await found.relatedParts('', 'core-properties');
  let title = '';
  let isTitle = false;
  await found.parse(related ?? 'docProps/core.xml', 'dc', {
    open(name) {
      isTitle = name === 'title';
    },
    text(text) {
      if (isTitle) title += text;
    },
    close() {
      isTitle = false;
    },
  });
  return title.trim() || null;
}
