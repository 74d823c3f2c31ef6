/** Programs that can read a dataset. */
export const readers = ['datasets', 'pandas', 'pyarrow', 'curl', 'sql'] as const;
export type Reader = (typeof readers)[number];

/** Where a dataset is read from: the service, the dataset with its version, and one of its files. */
export type ReadingPlace = {
  origin: string;
  datasetId: string;
  version: number;
  file: { id: string; path: string; fileType: string } | undefined;
};

/** A few lines of code that read the dataset; undefined if the dataset has nothing for this reader. */
export function linesFor(reader: Reader, { origin, datasetId, version, file }: ReadingPlace): string | undefined {
  const api = `${origin}/api/v1/data-management/datasets/${datasetId}`;
  if (reader === 'datasets')
    return [
      '# pip install datasets',
      'import os',
      `os.environ["HF_ENDPOINT"] = ${quoted(origin)}`,
      'os.environ["HF_TOKEN"] = "tilth_…"  # an API key',
      'from datasets import load_dataset',
      '',
      `dataset = load_dataset(${quoted(`tilth/${datasetId}`)}, revision=${quoted(String(version))})`,
    ].join('\n');
  if (reader === 'sql')
    return [
      'curl -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\',
      `  -d '{"sql": "SELECT 1"}' \\`,
      `  "${api}/query?version=${version}"`,
    ].join('\n');
  if (file === undefined) return undefined;
  const url = `${api}/files/${file.id}/download?version=${version}`;
  if (reader === 'curl')
    return [
      `curl -OJ -H "X-API-Key: $KEY" "${api}/files/download?version=${version}"  # all files as a ZIP`,
      `curl -r 0-999 -H "X-API-Key: $KEY" "${url}"  # the first 1,000 bytes of ${file.path}`,
    ].join('\n');
  if (reader === 'pyarrow')
    return !['parquet', 'parq', 'pqt'].includes(file.fileType)
      ? undefined
      : [
          'import pyarrow.parquet as pq',
          'from fsspec.implementations.http import HTTPFileSystem',
          '',
          'files = HTTPFileSystem(client_kwargs={"headers": {"X-API-Key": "tilth_…"}})',
          `table = pq.read_table(${quoted(url)}, filesystem=files)`,
        ].join('\n');
  const read = readersOfPandas[file.fileType];
  return read === undefined ? undefined : ['import pandas', '', `frame = pandas.${read(quoted(url))}`].join('\n');
}

const readersOfPandas: Readonly<Record<string, (url: string) => string>> = {
  jsonl: (url) => `read_json(${url}, lines=True, storage_options={"X-API-Key": "tilth_…"})`,
  json: (url) => `read_json(${url}, storage_options={"X-API-Key": "tilth_…"})`,
  csv: (url) => `read_csv(${url}, storage_options={"X-API-Key": "tilth_…"})`,
  tsv: (url) => `read_csv(${url}, sep="\\t", storage_options={"X-API-Key": "tilth_…"})`,
  parquet: (url) => `read_parquet(${url}, storage_options={"X-API-Key": "tilth_…"})`,
};

/** A Python string literal. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
