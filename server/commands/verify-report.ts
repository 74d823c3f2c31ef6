import type { Finding, Verified } from '../app.ts';

const columnWidth = 12;
const mostFiles = 20;

/** A finding for users: the problem in the first column, then its location and owner. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'content':
      return rows(finding.problem, [
        placeText(finding.place),
        ...(finding.problem === 'header' ? ['the content behind it is whole'] : []),
        ...unsureTexts(finding.otherFolders),
        ...ownerTexts(finding),
      ]);
    case 'chunk': {
      const { problem, place, chunkNo, upload } = finding;
      const owner =
        upload === undefined
          ? `chunk ${chunkNo} of an upload that is gone`
          : `chunk ${chunkNo} of ${upload.fileName} (file ${upload.fileNo} of upload ${upload.uploadId}, dataset ${upload.datasetId})`;
      return rows(problem, [placeText(place), ...unsureTexts(finding.otherFolders), owner]);
    }
    case 'unknown-content':
      return rows('unknown', [`blob ${finding.file.blobId} is not in the storage`, ...fileTexts([finding.file])]);
    case 'references':
      return rows('references', [
        `blob ${finding.blobId}: ${finding.stored} references are kept, ${finding.counted} files and runs hold it`,
      ]);
    case 'counter': {
      const { counter, of, stored, counted, datasetId, datasetName } = finding;
      return rows('counter', [
        `${counter}${of === '' ? '' : ` of ${of}`}: ${stored} is kept, a recount gives ${counted}`,
        `dataset ${datasetName} (${datasetId})`,
      ]);
    }
  }
}

/** What was checked, and the result. */
export function summaryText(verified: Verified, problems: number): string {
  const { blobs, bytes, chunks, datasets, leftovers, elsewhere } = verified;
  const looked = `${blobs} blobs and ${chunks} chunks of unfinished uploads (${bytes} bytes), counters of ${datasets} datasets`;
  const left = `${leftovers.files} files (${leftovers.bytes} bytes) that nothing refers to; the service erases them by itself`;
  return [
    rows('verified', [looked]),
    leftovers.files === 0 ? '' : rows('left over', [left]),
    ...elsewhere.map((other) =>
      rows('elsewhere', [
        `${other.blobs} blobs and ${other.chunks} chunks (${other.bytes} bytes) belong to the data folder ${other.place}; verify it with its own TILTH_DATA_DIR`,
      ]),
    ),
    rows('result', [problems === 0 ? 'all is well' : `${problems} problems`]),
  ].join('');
}

function unsureTexts(otherFolders: number): string[] {
  if (otherFolders === 0) return [];
  return [
    `it may be in one of the ${otherFolders} other data folders of the database: which one received it is not recorded`,
  ];
}

function placeText({ path, offset, sizeBytes }: { path: string; offset: number; sizeBytes: number }): string {
  return `${path}, ${sizeBytes} bytes from ${offset}`;
}

type Content = Extract<Finding, { kind: 'content' }>;

function ownerTexts({ files, runs }: Pick<Content, 'files' | 'runs'>): string[] {
  if (files.length + runs.length === 0) return ['no file of a dataset and no run: bytes on their way'];
  return [...fileTexts(files), ...runTexts(runs)];
}

function runTexts(runs: Content['runs']): string[] {
  const texts = runs.slice(0, mostFiles).map(({ runId, holds }) => {
    const what = holds === 'LEDGER' ? 'part of the ledger' : 'failed samples that were set aside';
    return `${what} of run ${runId}`;
  });
  return runs.length > mostFiles ? [...texts, `and ${runs.length - mostFiles} more runs`] : texts;
}

function fileTexts(files: Content['files']): string[] {
  const texts = files
    .slice(0, mostFiles)
    .map(({ datasetName, datasetId, filePath, fileId, addedVersion, endedVersion }) => {
      const until = endedVersion === null ? 'on' : `to ${endedVersion - 1}`;
      return `${filePath} (file ${fileId}) of dataset ${datasetName} (${datasetId}), version ${addedVersion} ${until}`;
    });
  return files.length > mostFiles ? [...texts, `and ${files.length - mostFiles} more files`] : texts;
}

function rows(first: string, texts: readonly string[]): string {
  return texts.map((text, index) => `${(index === 0 ? first : '').padEnd(columnWidth)}${text}\n`).join('');
}
