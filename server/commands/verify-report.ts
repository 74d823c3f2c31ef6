import type { StoredDataFinding, VerifiedData } from '../stored-data.ts';

const columnWidth = 12;
const mostFiles = 20;

/** A finding for users: the problem in the first column, then its location and owner. */
export function findingText(finding: StoredDataFinding): string {
  switch (finding.kind) {
    case 'content':
      return rows(finding.problem, [
        placeText(finding.place),
        ...(finding.problem === 'header' ? ['the content after it is intact'] : []),
        ...unsureTexts(finding.otherFolders),
        ...ownerTexts(finding),
      ]);
    case 'chunk': {
      const { problem, place, chunkNo, upload } = finding;
      const owner =
        upload === undefined
          ? `chunk ${chunkNo} of an upload that no longer exists`
          : `chunk ${chunkNo} of ${upload.fileName} (file ${upload.fileNo} of upload ${upload.uploadId}, dataset ${upload.datasetId})`;
      return rows(problem, [placeText(place), ...unsureTexts(finding.otherFolders), owner]);
    }
    case 'unknown-content':
      return rows('unknown', [`blob ${finding.file.blobId} is not in the storage`, ...fileTexts([finding.file])]);
    case 'references':
      return rows('references', [
        `blob ${finding.blobId}: ${finding.stored} references are recorded, ${finding.counted} files, runs and documents use it`,
      ]);
    case 'unheld':
      return rows('kept', [
        `${finding.of === 'BLOB' ? 'blob' : 'received chunks'} ${finding.id}, ${finding.sizeBytes} bytes in ${finding.objectId}: nothing refers to them, and they are not erased`,
      ]);
    case 'document-chunks':
      return rows('chunks', [
        `${finding.chunks} chunks are stored, the document records ${finding.told}`,
        documentText(finding.documentName, finding.documentId, finding),
      ]);
    case 'indexed-chunks':
      return rows('index', [
        `${finding.rows} rows with ${finding.distinct} distinct chunks are in the index, ${finding.chunks} in the database; the service corrects it when it starts`,
        documentText(finding.documentName, finding.documentId, finding),
      ]);
    case 'foreign-chunks':
      return rows('index', [
        `${finding.rows} rows of unit ${finding.unit}, which belong to no document; the service removes them when it starts`,
        indexText(finding),
      ]);
    case 'unreadable-index':
      return rows('index', [
        `cannot be read; the service rebuilds it when it starts: ${finding.problem}`,
        indexText(finding),
      ]);
    case 'unknown-document-content':
      return rows('unknown', [
        `blob ${finding.document.blobId} is not in the storage`,
        ...documentTexts([finding.document]),
      ]);
    case 'counter': {
      const { counter, of, stored, counted, datasetId, datasetName } = finding;
      return rows('counter', [
        `${counter}${of === '' ? '' : ` of ${of}`}: ${stored} is recorded, a recount gives ${counted}`,
        `dataset ${datasetName} (${datasetId})`,
      ]);
    }
  }
}

/** What was checked, and the result. */
export function summaryText(verified: VerifiedData, problems: number): string {
  const { blobs, bytes, chunks, datasets, leftovers, elsewhere, indexesToBeMade } = verified;
  const looked = `${blobs} blobs and ${chunks} chunks of unfinished uploads (${bytes} bytes), counters of ${datasets} datasets`;
  const left = `${leftovers.files} files (${leftovers.bytes} bytes) that nothing refers to; the running service deletes them automatically, in an object store a day after they were written`;
  return [
    rows('verified', [looked]),
    leftovers.files === 0 ? '' : rows('left over', [left]),
    ...elsewhere.map((other) =>
      rows('elsewhere', [
        `${other.blobs} blobs and ${other.chunks} chunks (${other.bytes} bytes) belong to the data folder ${other.place}; verify it with its own TILTH_DATA_DIR`,
      ]),
    ),
    indexesToBeMade === 0
      ? ''
      : rows('restored', [`${indexesToBeMade} indexes of knowledge bases will be rebuilt when the service starts`]),
    rows('result', [problems === 0 ? 'no problems' : `${problems} problems`]),
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

type Content = Extract<StoredDataFinding, { kind: 'content' }>;

function ownerTexts({ files, runs, documents }: Pick<Content, 'files' | 'runs' | 'documents'>): string[] {
  if (files.length + runs.length + documents.length === 0)
    return ['no file of a dataset, no run and no document: bytes in transfer'];
  return [...fileTexts(files), ...runTexts(runs), ...documentTexts(documents)];
}

const heldByDocument = { FILE: 'the file', TEXT: 'the text', VECTORS: 'vectors' };

function documentTexts(documents: Content['documents']): string[] {
  const texts = documents
    .slice(0, mostFiles)
    .map(
      ({ holds, documentName, documentId, knowledgeBaseId }) =>
        `${heldByDocument[holds]} of document ${documentName} (${documentId}), knowledge base ${knowledgeBaseId}`,
    );
  return documents.length > mostFiles ? [...texts, `and ${documents.length - mostFiles} more documents`] : texts;
}

type OfIndex = { knowledgeBaseId: string; knowledgeBaseName: string; index: 'CURRENT' | 'NEXT' };

function indexText({ knowledgeBaseId, knowledgeBaseName, index }: OfIndex): string {
  const which = index === 'CURRENT' ? 'index in use' : 'new index';
  return `${which}, knowledge base ${knowledgeBaseName} (${knowledgeBaseId})`;
}

function documentText(name: string, id: string, of: OfIndex): string {
  return `document ${name} (${id}), ${indexText(of)}`;
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
