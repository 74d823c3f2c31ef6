import type { ChosenFile } from './dropped-files.ts';

let handed: { datasetId: string; files: readonly ChosenFile[] } | undefined;

/** Files that were dropped on another page of a dataset, for the page that asks what is to be done with them. */
export function handFiles(datasetId: string, files: readonly ChosenFile[]): void {
  handed = { datasetId, files };
}

/** Gives them once. */
export function takeHandedFiles(datasetId: string): readonly ChosenFile[] {
  const files = handed?.datasetId === datasetId ? handed.files : [];
  handed = undefined;
  return files;
}
