import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { datasetKeys } from '../data-management/dataset-queries.ts';
import { freeDatasetName } from '../data-management/free-dataset-name.ts';
import { createPdf } from './sample-pdf.ts';
import { drawPicture } from './sample-pictures.ts';
import { sampleNotes, sampleReviews } from './sample-rows.ts';

const noteCount = 3_000;
const reviewCount = 1_200;
const pictureCount = 12;

const letter = 'Dear colleague,\n\n\n\nthe   data came.\r\nIt is clean now.\u0007\n';
const readme = [
  '# Sample data',
  '',
  'Made in your browser, to try things out. Nobody in it exists.',
  '',
  `- notes.jsonl: ${noteCount} rows with markup, odd white space, invented personal data, duplicates and broken lines`,
  `- reviews.csv: ${reviewCount} rows in English and Chinese, some cells empty, one row broken`,
  '- report.pdf and letters/: documents',
  `- pictures/: ${pictureCount} pictures, which a task over text skips`,
  '',
].join('\n');
const report = Array.from({ length: 90 }, (_, line) =>
  line % 15 === 0
    ? `Chapter ${1 + line / 15}: readings of the season`
    : `Line ${line + 1}. The probe in field ${1 + (line % 7)} showed ${(18 + ((line * 7) % 90) / 10).toFixed(1)} degrees at noon.`,
);

async function sampleFiles(): Promise<File[]> {
  const pictures = await Promise.all(
    Array.from({ length: pictureCount }, async (_, index) => {
      const name = `pictures/field-${String(index + 1).padStart(2, '0')}.png`;
      return new File([await drawPicture(index + 1)], name, { type: 'image/png' });
    }),
  );
  return [
    new File([sampleNotes(noteCount)], 'notes.jsonl'),
    new File([sampleReviews(reviewCount)], 'reviews.csv'),
    new File([createPdf(report)], 'report.pdf', { type: 'application/pdf' }),
    new File([letter], 'letters/first.txt'),
    new File([readme], 'readme.md'),
    ...pictures,
  ];
}

/** Creates a sample dataset to look at and to clean, through the public API. Returns its id. */
export async function createSampleData(name: string, description: string, queryClient: QueryClient): Promise<string> {
  const files = await sampleFiles();
  const { id } = await dataOf(
    api.POST('/api/v1/data-management/datasets', {
      body: { name: await freeDatasetName(name), description, type: 'TEXT' },
    }),
  );
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  await dataOf(
    api.POST('/api/v1/data-management/datasets/{datasetId}/files/upload', {
      params: { path: { datasetId: id } },
      body: form as never,
      bodySerializer: (body: unknown) => body as FormData,
    }),
  );
  await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
  return id;
}
