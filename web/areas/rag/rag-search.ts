import { readListSearch, type ListSearch } from '../../ui/list-search.ts';

/** Search parameters of the list of knowledge bases. `new` opens the form of a new one. */
export type BasesSearch = ListSearch & { new?: boolean };

export function readBasesSearch(search: Record<string, unknown>): BasesSearch {
  return { ...readListSearch(search), ...(search.new === true ? { new: true } : {}) };
}

export const documentStatuses = ['PENDING', 'PROCESSING', 'COMPLETED', 'PARTIAL', 'FAILED'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

/** Search parameters of the documents of a knowledge base. */
export type DocumentsSearch = ListSearch & {
  status?: DocumentStatus;
  /** Documents that could not be added to the index being built. */
  rebuild?: 'FAILED';
};

export function readDocumentsSearch(search: Record<string, unknown>): DocumentsSearch {
  const status = documentStatuses.find((one) => one === search.status);
  return {
    ...readListSearch(search),
    ...(status === undefined ? {} : { status }),
    ...(search.rebuild === 'FAILED' ? { rebuild: 'FAILED' as const } : {}),
  };
}

/** The service's limit on neighbours on each side of a hit. */
export const mostNeighbours = 10;

export const searchModes = ['HYBRID', 'VECTOR', 'KEYWORD'] as const;
export type SearchMode = (typeof searchModes)[number];

/** Search parameters of the search in a knowledge base: the query, the mode, and filters. */
export type HitsSearch = {
  q?: string;
  mode?: SearchMode;
  topK?: number;
  minScore?: number;
  /** Weight of the vector part of hybrid search in percent; 50 if missing. */
  vector?: number;
  types?: string;
  tags?: string;
  dataset?: string;
  /** Days (YYYY-MM-DD). */
  after?: string;
  before?: string;
  /** Ids of documents. */
  documents?: string;
  /** `name=value` lines, all of which a document must match. */
  metadata?: string;
  /** Chunks before and after each hit. */
  expand?: number;
  /** Id of the model that reranks the hits. */
  rerank?: string;
};

export function readHitsSearch(search: Record<string, unknown>): HitsSearch {
  const text = (name: 'q' | 'types' | 'tags' | 'dataset' | 'documents' | 'metadata' | 'rerank'): object => {
    const value = search[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? { [name]: String(value) } : {};
  };
  const number = (name: 'topK' | 'minScore' | 'vector' | 'expand', min: number, max: number): object => {
    const value = search[name];
    return typeof value === 'number' && value >= min && value <= max ? { [name]: value } : {};
  };
  const day = (name: 'after' | 'before'): object => {
    const value = search[name];
    return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
      ? { [name]: value }
      : {};
  };
  const mode = searchModes.find((one) => one === search.mode);
  return {
    ...text('q'),
    ...(mode === undefined ? {} : { mode }),
    ...number('topK', 1, 200),
    ...number('minScore', 0, 1),
    ...number('vector', 0, 100),
    ...text('types'),
    ...text('tags'),
    ...text('dataset'),
    ...text('documents'),
    ...text('metadata'),
    ...text('rerank'),
    ...number('expand', 1, mostNeighbours),
    ...day('after'),
    ...day('before'),
  };
}

/** Search parameters of the answers of a knowledge base. */
export type AnswerSearch = { q?: string; model?: string };

export function readAnswerSearch({ q, model }: Record<string, unknown>): AnswerSearch {
  return {
    ...((typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  };
}

/** A place in a document: a chunk by its id, or a range of its text from an offset. */
export type PlaceSearch = { chunk?: string; start?: number; end?: number };

export function readPlaceSearch({ chunk, start, end }: Record<string, unknown>): PlaceSearch {
  return {
    ...(typeof chunk === 'string' && /^\d+-\d+$/.test(chunk) ? { chunk } : {}),
    ...(isOffset(start) ? { start } : {}),
    ...(isOffset(end) ? { end } : {}),
  };
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
