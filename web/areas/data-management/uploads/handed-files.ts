import type { ChosenFile } from './dropped-files.ts';

let handed: { datasetId: string; files: readonly ChosenFile[] } | undefined;

/** Passes files dropped on another page of a dataset to the page that asks what to do with them. */
export function handFiles(datasetId: string, files: readonly ChosenFile[]): void {
  handed = { datasetId, files };
}

/** Returns the passed files, once. */
export function takeHandedFiles(datasetId: string): readonly ChosenFile[] {
  const files = handed?.datasetId === datasetId ? handed.files : [];
  handed = undefined;
  return files;
}
