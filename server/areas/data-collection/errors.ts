import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const collectionErrors = defineErrors('data-collection', {
  CONNECTOR_NOT_FOUND: ['not-found', 'There is no connector {type}; GET /data-collection/connectors lists them'],
  COLLECTION_TARGET_NOT_FOUND: ['not-found', 'Target dataset {id} does not exist; choose another one'],
  COLLECTION_TARGET_ARCHIVED: [
    'conflict',
    'Target dataset {id} is archived and accepts no files; set another status first',
  ],
});
