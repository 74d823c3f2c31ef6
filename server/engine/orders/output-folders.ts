/** A column with more values than this was probably chosen by mistake. */
export const maxOutputFolders = 200;

/** The folder of rows whose value is missing or null. */
export const noFolder = 'none';

const maxFolderLength = 60;

/** The folder name for a value, without separators, `.` or `..`, so that it can't lead outside the output. */
export function folderOf(value: unknown): string {
  if (value === null || value === undefined) return noFolder;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const name = [...text.replace(/[\p{C}/\\]+/gu, '_').trim()].slice(0, maxFolderLength).join('');
  return /^\.{0,2}$/.test(name) ? '_' : name;
}
