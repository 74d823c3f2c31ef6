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
  // The extension alone does not show which of the two it is.
  COMPRESSED: ['tables', 'text'],
  UNSUPPORTED: [],
};

/** Whether this is the extension of an audio or video file. */
export function isRecording(fileType: string): boolean {
  return recordings.has(fileType);
}

/** What a source holds, judged by its file types. */
export function contentsOf(fileTypes: CleaningInspection['fileTypes']): ReadonlySet<Content> {
  return new Set(
    fileTypes.flatMap(({ kind, fileType, files }): readonly Content[] => {
      if (files === 0) return [];
      return kind === 'MEDIA' && isRecording(fileType) ? ['recordings'] : contentsOfKind[kind];
    }),
  );
}

/** The contents of a source that an operator can process; tables count as text, a text per row. */
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

/** Whether an operator has something to do in a source; true if nothing is known about the source. */
export function fits(operator: Pick<Operator, 'modality' | 'reads' | 'writes'>, held: ReadonlySet<Content>): boolean {
  return held.size === 0 || processedBy(operator).some((content) => held.has(content));
}
