/** Names of files that hold a chunk beside its blob's file: `<assembly>-<chunk>-<number>`. */
export function besideName(assemblyId: string, chunkNo: number, besideNo: number): string {
  return `${assemblyId}-${chunkNo}-${besideNo}`;
}

/** The assembly id in a name; the id itself may contain dashes. */
export function besideAssemblyId(name: string): string {
  return name.replace(/-\d+-\d+$/, '');
}
