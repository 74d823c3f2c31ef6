import type { DatasetType, DatasetTypeCode } from '../schemas/dataset-types.ts';

const textFormats = [
  'txt', 'md', 'rst', 'log', 'json', 'jsonl', 'ndjson', 'csv', 'tsv', 'parquet', 'arrow', 'feather', 'xml', 'yaml', 'yml', 'html', 'htm',
  'pdf', 'doc', 'docx', 'odt', 'rtf', 'epub', 'ppt', 'pptx', 'odp', 'xls', 'xlsx', 'ods', 'tex', 'srt', 'vtt',
]; // prettier-ignore
const imageFormats = ['jpg', 'jpeg', 'png', 'webp', 'gif', 'bmp', 'tif', 'tiff', 'avif', 'heic', 'svg'];
const audioFormats = ['wav', 'mp3', 'flac', 'ogg', 'opus', 'm4a', 'aac', 'aiff', 'weba'];
const videoFormats = ['mp4', 'm4v', 'mov', 'mkv', 'webm', 'avi', 'mpeg', 'mpg', 'ogv'];

/** The intended use of a dataset. Any file may be stored in any type; the formats are what tools and people expect. */
export const datasetTypes: readonly DatasetType[] = [
  {
    code: 'TEXT',
    name: 'Text',
    description: 'Documents, tables and lines of text',
    supportedFormats: textFormats,
    icon: 'file-text',
  },
  {
    code: 'IMAGE',
    name: 'Image',
    description: 'Photographs, scans and drawings',
    supportedFormats: imageFormats,
    icon: 'photo',
  },
  {
    code: 'AUDIO',
    name: 'Audio',
    description: 'Speech, music and other sound',
    supportedFormats: audioFormats,
    icon: 'volume',
  },
  { code: 'VIDEO', name: 'Video', description: 'Moving pictures', supportedFormats: videoFormats, icon: 'video' },
  {
    code: 'MULTIMODAL',
    name: 'Multimodal',
    description: 'Text, images, audio and video together',
    supportedFormats: [...textFormats, ...imageFormats, ...audioFormats, ...videoFormats],
    icon: 'stack-2',
  },
];

const byCode = new Map(datasetTypes.map((type) => [type.code, type]));

/** The type of an already validated code. */
export function getDatasetType(code: string): DatasetType {
  const type = byCode.get(code as DatasetTypeCode);
  if (type === undefined) throw new Error(`A dataset of the unknown type ${code} is stored`);
  return type;
}
