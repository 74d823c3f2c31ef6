import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { datasetKeys } from '../data-management/dataset-queries.ts';

const subjects = ['soil', 'seed', 'rain', 'harvest', 'field', 'plough', 'orchard', 'meadow'];
const sentences = [
  (word: string) => `The ${word} was measured every morning for a year, and the figures were written down by hand.`,
  (word: string) =>
    `Nobody agreed on what a good ${word} looks like, so three people were asked and their answers compared.`,
  (word: string) => `A report on the ${word} came in late; it was short, but it held what had been missing.`,
];

/** Rows with what cleaning is for: markup, odd white space, control characters, addresses, repeats, and one broken line. */
function sampleRows(): string {
  const rows: string[] = [];
  for (let id = 1; id <= 200; id += 1) {
    const word = subjects[id % subjects.length] ?? 'soil';
    let text = sentences.map((sentence) => sentence(word)).join(' ');
    if (id % 5 === 0) text = `  ${text.replaceAll(' ', '   ')}\t\t\n\n\n`;
    if (id % 7 === 0) text = `${text.slice(0, 40)}\u0007\u0000${text.slice(40)}`;
    if (id % 9 === 0) text = `<p>${text}</p><script>track()</script>`;
    if (id % 11 === 0) text = word;
    if (id % 13 === 0) text = `${text} Write to anna.${word}@example.org or call +49 30 901820.`;
    rows.push(JSON.stringify({ id, text, source: `notebook ${1 + (id % 4)}` }));
  }
  rows.splice(120, 0, '{"id": 120.5, "text": "a line that was cut in the mid');
  return `${rows.join('\n')}\n`;
}

function sampleFiles(): { name: string; content: string }[] {
  return [
    { name: 'notes.jsonl', content: sampleRows() },
    { name: 'reviews.csv', content: 'id,text,stars\n1,"Good, but   late",4\n2,"  Broken on arrival  ",1\n3,Fine,5\n' },
    { name: 'letters/first.txt', content: 'Dear colleague,\n\n\n\nthe   data came.\r\nIt is clean now.\u0007\n' },
    { name: 'letters/readme.md', content: '# Sample data\n\nMade in your browser, to try things out.\n' },
  ];
}

/** Makes a dataset with some small files, through the same calls that everything else goes through. Gives its id. */
export async function createSampleData(name: string, description: string, queryClient: QueryClient): Promise<string> {
  const { id } = await dataOf(
    api.POST('/api/v1/data-management/datasets', { body: { name, description, type: 'TEXT' } }),
  );
  const form = new FormData();
  for (const { name: path, content } of sampleFiles()) form.append('files', new File([content], path), path);
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
