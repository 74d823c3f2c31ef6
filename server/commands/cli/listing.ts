import { exitCodes, type ExitCode } from './cli-problem.ts';
import type { CliContext } from './cli-context.ts';
import {
  datasetsParts,
  getDataset,
  listAll,
  listDatasetFiles,
  type ListedDataset,
  type ListedFile,
} from './datasets.ts';
import { printable, sizeText } from './progress-bar.ts';

export type ListCommand = { dataset: string | undefined; version: number | undefined; prefix: string };

/** `ls`: lists datasets, or the files of one. */
export async function list(command: ListCommand, { client, output }: CliContext): Promise<ExitCode> {
  if (command.dataset === undefined) {
    const datasets: ListedDataset[] = [];
    for await (const each of listAll<ListedDataset>(client, datasetsParts)) datasets.push(each);
    output.show(datasets, () =>
      tableText(
        ['id', 'name', 'type', 'files', 'size', 'version'],
        datasets.map(({ id, name, type, fileCount, totalSize, version }) => [
          id,
          name,
          type.code,
          String(fileCount),
          bytesText(totalSize),
          String(version),
        ]),
      ),
    );
    return exitCodes.done;
  }
  const { id } = await getDataset(client, command.dataset);
  const files: ListedFile[] = [];
  for await (const each of listDatasetFiles(client, id, command)) files.push(each);
  output.show(files, () =>
    tableText(
      ['size', 'status', 'path'],
      files.map(({ fileSize, status, filePath }) => [bytesText(fileSize), status, filePath]),
    ),
  );
  return exitCodes.done;
}

/** Human-readable on a terminal, exact in a pipe. */
const bytesText = (bytes: number): string => (process.stdout.isTTY ? sizeText(bytes) : String(bytes));

/** An aligned table with a header for terminals; tab-separated lines for pipes. */
function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(printable));
  if (!process.stdout.isTTY) return safe.map((row) => `${row.join('\t')}\n`).join('');
  const all = [header, ...safe];
  const widths = header.map((_name, at) => all.reduce((most, row) => Math.max(most, (row[at] ?? '').length), 0));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
