import { contentTypeOf } from './encoding-formats.ts';
import type { HubFileRow } from '../queries/hub.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { formatOf } from '../../../tables/formats.ts';
import type { Card, CardTable, Croissant } from '../schemas/cards.ts';
import { fieldsOf } from './croissant-fields.ts';

/** The context of Croissant 1.0, as its specification prints it. */
const context = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  fileProperty: 'cr:fileProperty',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  rai: 'http://mlcommons.org/croissant/RAI/',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
} as const;

/** SHA-256 of no bytes: an empty file has no blob. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const nothing: ReturnType<typeof fieldsOf> = { fields: [], without: [] };

/** Describes a version of a dataset. `unread`: the tables whose records no reader could read, with the reason. */
export function croissantOf(
  card: Card,
  unread: ReadonlyMap<CardTable, string>,
  files: readonly HubFileRow[],
  baseUrl: string,
): Croissant {
  const { id, name, description, version, versionName, license, citation, tags, createdAt, updatedAt, createdBy } =
    card;
  const url = `${baseUrl}/api/v1/data-management/datasets/${id}`;
  const ids = new Map(files.map(({ file_id: fileId }, index) => [fileId, `file-${index + 1}`]));
  const reasons = new Map<string, string>();
  const recordSet: object[] = [];
  for (const table of card.tables) {
    const { fileId, path } = table;
    const recordsId = `records-${recordSet.length + 1}`;
    const format = formatOf(fileTypeOf(path));
    const known = unread.get(table) ?? table.problem ?? undefined;
    const { fields, without } =
      known === undefined ? fieldsOf(table, recordsId, { fileId: ids.get(fileId) ?? '', format }) : nothing;
    if (fields.length === 0) {
      reasons.set(fileId, known ?? (without.length === 0 ? 'it has no columns' : without.join('. ')));
      continue;
    }
    const description = without.length === 0 ? {} : { description: without.join('. ') };
    recordSet.push({ '@type': 'cr:RecordSet', '@id': recordsId, name: path, ...description, field: fields });
  }
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    '@id': id,
    name,
    description: description === '' ? name : description,
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    url: `${baseUrl}/datasets/${id}`,
    version: `${version}.0.0`,
    ...(versionName === null ? {} : { alternateName: versionName }),
    ...(license === null ? {} : { license }),
    citeAs: citation ?? `${createdBy}: ${name}, version ${version}, ${updatedAt.slice(0, 4)}`,
    ...(tags.length === 0 ? {} : { keywords: tags }),
    creator: { '@type': 'sc:Person', name: createdBy },
    dateCreated: createdAt,
    datePublished: updatedAt,
    dateModified: updatedAt,
    distribution: files.map((file) => ({
      '@type': 'cr:FileObject',
      '@id': ids.get(file.file_id) ?? '',
      name: file.path,
      contentUrl: `${url}/files/${file.file_id}/download?version=${version}`,
      contentSize: `${file.size_bytes} B`,
      encodingFormat: contentTypeOf(file.path),
      sha256: file.sha256 ?? emptySha256,
      ...(reasons.has(file.file_id) ? { description: `Table without a record set: ${reasons.get(file.file_id)}` } : {}),
    })),
    recordSet,
  };
}
