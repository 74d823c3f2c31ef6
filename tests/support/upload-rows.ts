import { newId } from '../../server/kernel/ids.ts';
import type { UploadsTable } from '../../server/storage/database/tables/uploads.ts';

/** The row of an active upload, with some of its values. */
export function uploadRow(values: Partial<UploadsTable>): UploadsTable {
  return {
    id: newId(),
    dataset_id: 'dataset',
    created_by: 'ann',
    has_archive: 0,
    total_file_num: 1,
    total_size_bytes: 1,
    prefix: '',
    chunk_size_bytes: null,
    on_conflict: 'REPLACE',
    unpack_into: 'PREFIX',
    name_encoding: null,
    name_languages: null,
    calls: 0,
    completed_files: 0,
    completed_bytes: 0,
    created_at: '',
    active_at: '',
    ended_at: null,
    ...values,
  };
}
