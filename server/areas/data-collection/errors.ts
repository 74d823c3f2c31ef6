import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const collectionErrors = defineErrors('data-collection', {
  CONNECTOR_NOT_FOUND: ['not-found', 'There is no connector {type}; GET /data-collection/connectors lists them'],
});
