import { newId } from '../../server/kernel/ids.ts';
import type { RagDocumentsTable } from '../../server/storage/database/tables/rag.ts';

/** The row of a new document, with some of its values. */
export function ragDocument(values: Partial<RagDocumentsTable>): RagDocumentsTable {
  return {
    id: newId(),
    knowledge_base_id: newId(),
    name: 'soil.txt',
    file_type: 'txt',
    size_bytes: 5,
    crc32: 1,
    blob_id: '',
    dataset_id: null,
    file_id: null,
    dataset_version: null,
    tags: '[]',
    metadata: '{}',
    status: 'PENDING',
    cause: null,
    cause_sentence: null,
    readings: 0,
    text_blob_id: null,
    pages: null,
    receipt: null,
    unit: null,
    chunks: 0,
    next_unit: null,
    next_chunks: 0,
    next_cause: null,
    next_cause_sentence: null,
    found_revision: 0,
    next_found_revision: 0,
    created_at: '',
    created_by: 'admin',
    finished_at: null,
    ...values,
  };
}
