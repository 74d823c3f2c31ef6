/** More folders than these are no parts of a dataset: the column is a wrong one. */
export const maxOutputFolders = 200;

/** The folder of rows without the value. */
export const noFolder = 'none';

const maxFolderLength = 60;

/** The folder of the rows with a value: a name that can't lead elsewhere. */
export function folderOf(value: unknown): string {
  if (value === null || value === undefined) return noFolder;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const name = [...text.replace(/[\p{C}/\\]+/gu, '_').trim()].slice(0, maxFolderLength).join('');
  return /^\.{0,2}$/.test(name) ? '_' : name;
}
