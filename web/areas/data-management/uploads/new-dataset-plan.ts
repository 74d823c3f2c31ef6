import type { DatasetType } from '../../../api/schema.ts';
import type { ChosenFile } from './dropped-files.ts';

const longestName = 100;
const kinds = ['image', 'audio', 'video'] as const;
/** From this share of files on a dataset is of their kind. */
const mostly = 0.8;

/** What a dataset is called that is made of these files, where they stand in it, and what it is meant for. */
export type NewDatasetPlan = {
  /** Undefined when neither a folder nor a single file gives one. */
  name: string | undefined;
  type: DatasetType['code'];
  files: readonly ChosenFile[];
};

/** Files of one folder make a dataset of its name, without the folder in their paths; a single file one of its own. */
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
