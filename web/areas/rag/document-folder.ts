/** Where a document came from, without its name, which stands beside it. */
export function folderOf(path: string, name: string): string {
  return path.endsWith(`/${name}`) ? path.slice(0, -name.length) : path;
}
