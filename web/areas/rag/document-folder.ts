/** The folder of a document's path, without its name, which is shown beside it. */
export function folderOf(path: string, name: string): string {
  return path.endsWith(`/${name}`) ? path.slice(0, -name.length) : path;
}
