import type { CleaningInspection, Operator } from '../../../api/schema.ts';

/** What the files of a source hold. */
export const contents = ['text', 'tables', 'images', 'recordings'] as const;
export type Content = (typeof contents)[number];

const recordings = new Set([
  'aac',
  'avi',
  'flac',
  'm4a',
  'mkv',
  'mov',
  'mp3',
  'mp4',
  'oga',
  'ogg',
  'ogv',
  'opus',
  'wav',
  'webm',
]);

const contentsOfKind: Readonly<Record<CleaningInspection['fileTypes'][number]['kind'], readonly Content[]>> = {
  TABLE: ['tables'],
  TEXT: ['text'],
  DOCUMENT: ['text'],
  MEDIA: ['images'],
  // Its name alone does not tell.
  COMPRESSED: ['tables', 'text'],
  UNSUPPORTED: [],
};

/** Whether a file of sound or moving pictures has this extension. */
export function isRecording(fileType: string): boolean {
  return recordings.has(fileType);
}

/** What a source holds, by the types of its files. */
export function contentsOf(fileTypes: CleaningInspection['fileTypes']): ReadonlySet<Content> {
  return new Set(
    fileTypes.flatMap(({ kind, fileType, files }): readonly Content[] => {
      if (files === 0) return [];
      return kind === 'MEDIA' && isRecording(fileType) ? ['recordings'] : contentsOfKind[kind];
    }),
  );
}

/** What of a source an operator can process; a table has a text in each row. */
export function processedBy({
  modality,
  reads,
  writes,
}: Pick<Operator, 'modality' | 'reads' | 'writes'>): readonly Content[] {
  if (modality === 'IMAGE') return ['images'];
  if (modality === 'AUDIO' || modality === 'VIDEO') return ['recordings'];
  const parts = [...reads, ...writes];
  if (parts.includes('media')) return modality === 'ANY' ? ['images', 'recordings'] : ['images'];
  if (parts.some((part) => part === 'columns' || part === 'fields' || part === 'messages')) return ['tables'];
  return modality === 'ANY' ? contents : ['text', 'tables'];
}

/** Whether an operator has something to do in a source; of a source of which nothing is known, each has. */
export function fits(operator: Pick<Operator, 'modality' | 'reads' | 'writes'>, held: ReadonlySet<Content>): boolean {
  return held.size === 0 || processedBy(operator).some((content) => held.has(content));
}
