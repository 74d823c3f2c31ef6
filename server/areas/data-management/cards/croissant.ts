import { contentTypeOf } from './encoding-formats.ts';
import type { HubFileRow } from '../queries/hub.ts';
import type { Card, Croissant } from '../schemas/cards.ts';

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

const integers = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?)$/;
const floats = /^(?:FLOAT|DOUBLE|DECIMAL.*)$/;

/** The type of a column in words of schema.org, and whether a value is a list of it. */
function dataTypeOf(type: string): { dataType: string; repeated: boolean } {
  const repeated = type.endsWith('[]');
  const item = repeated ? type.slice(0, -2) : type;
  if (item === 'BOOLEAN') return { dataType: 'sc:Boolean', repeated };
  if (integers.test(item)) return { dataType: 'sc:Integer', repeated };
  if (floats.test(item)) return { dataType: 'sc:Float', repeated };
  if (item === 'DATE' || item.startsWith('TIMESTAMP')) return { dataType: 'sc:Date', repeated };
  return { dataType: 'sc:Text', repeated };
}

/** Describes a version of a dataset; `hashes` has the SHA-256 of each file with content. */
export function croissantOf(card: Card, files: readonly HubFileRow[], baseUrl: string): Croissant {
  const { id, name, description, version, versionName, license, citation, tags, createdAt, updatedAt, createdBy } =
    card;
  const url = `${baseUrl}/api/v1/data-management/datasets/${id}`;
  const ids = new Map(files.map(({ file_id: fileId }, index) => [fileId, `file-${index + 1}`]));
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
    })),
    recordSet: card.tables
      .filter(({ columns }) => columns.length > 0)
      .map(({ fileId, path, columns }, index) => ({
        '@type': 'cr:RecordSet',
        '@id': `records-${index + 1}`,
        name: path,
        field: columns.map((column, number) => {
          const { dataType, repeated } = dataTypeOf(column.type);
          const isArray = path.toLowerCase().endsWith('.json');
          return {
            '@type': 'cr:Field',
            '@id': `records-${index + 1}/field-${number + 1}`,
            name: column.name,
            description: column.type,
            dataType,
            ...(repeated ? { repeated } : {}),
            source: {
              fileObject: { '@id': ids.get(fileId) ?? '' },
              extract: isArray ? { jsonPath: `$[*][${JSON.stringify(column.name)}]` } : { column: column.name },
            },
          };
        }),
      })),
  };
}
