import papaparse from 'papaparse';

/** A question and the place of its answer: a document by its name, or a chunk by its id. */
export type GivenQuestion = { question: string; document?: string; chunkId?: string };
export type QuestionProblem = {
  row: number;
  problem: 'no-question' | 'no-source' | 'no-column' | 'no-document' | 'too-many';
};

/**
 * Reads questions from CSV with the columns `question` and `document` (a name) or `chunkId`; rows count from 1, the header.
 */
export function readQuestions(csv: string): { rows: GivenQuestion[]; problems: QuestionProblem[] } {
  const { data, meta } = papaparse.parse<Record<string, string>>(csv.trimEnd(), {
    header: true,
    transformHeader: (header) => header.trim().toLowerCase(),
  });
  if (!(meta.fields ?? []).includes('question')) return { rows: [], problems: [{ row: 1, problem: 'no-column' }] };
  const rows: GivenQuestion[] = [];
  const problems: QuestionProblem[] = [];
  for (const [index, row] of data.entries()) {
    const [question, document, chunkId] = ['question', 'document', 'chunkid'].map((name) => row[name]?.trim() ?? '');
    if (question === undefined || question === '') problems.push({ row: index + 2, problem: 'no-question' });
    else if (chunkId !== undefined && chunkId !== '') rows.push({ question, chunkId });
    else if (document !== undefined && document !== '') rows.push({ question, document });
    else problems.push({ row: index + 2, problem: 'no-source' });
  }
  return { rows, problems };
}
