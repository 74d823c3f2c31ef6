import type { DatasetType } from '../../../api/schema.ts';
import type { ChosenFile } from './dropped-files.ts';

const longestName = 100;
const kinds = ['image', 'audio', 'video'] as const;
/** Minimum share of files of one kind for a dataset to be of that kind. */
const mostly = 0.8;

/** Name, paths and type of a dataset created from these files. */
export type NewDatasetPlan = {
  /** Undefined if neither a folder nor a single file suggests one. */
  name: string | undefined;
  type: DatasetType['code'];
  files: readonly ChosenFile[];
};

/**
 * Files of one folder become a dataset named after it, without the folder in their paths; a single file becomes a
 * dataset of its own.
 */
export function planDataset(files: readonly ChosenFile[]): NewDatasetPlan {
  const [first] = files;
  const folder = first?.path.includes('/') === true ? first.path.split('/')[0] : undefined;
  const isOneFolder = folder !== undefined && files.every(({ path }) => path.startsWith(`${folder}/`));
  const name = isOneFolder
    ? folder
    : files.length === 1
      ? first?.path.replace(/(?<=.)(?:\.tar)?\.[^./]+$/, '')
      : undefined;
  return {
    name: name === undefined ? undefined : [...name].slice(0, longestName).join(''),
    type: typeOf(files),
    files: isOneFolder ? files.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file })) : files,
  };
}

function typeOf(files: readonly ChosenFile[]): DatasetType['code'] {
  for (const kind of kinds) {
    const count = files.filter(({ file }) => file.type.startsWith(`${kind}/`)).length;
    if (count > 0 && count >= mostly * files.length)
      return kind === 'image' ? 'IMAGE' : kind === 'audio' ? 'AUDIO' : 'VIDEO';
  }
  return 'TEXT';
}
