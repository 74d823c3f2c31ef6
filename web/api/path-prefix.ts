/** Base path under a reverse proxy, empty at the root; the service writes it into the page. */
export const basePath = readBasePath();

/** The address of a path of the service, with the base path. */
export function addressOf(path: string): string {
  return basePath + path;
}

function readBasePath(): string {
  // Tests run without a page.
  if (!('document' in globalThis)) return '';
  return document.querySelector<HTMLMetaElement>('meta[name="tilth-base-path"]')?.content ?? '';
}
