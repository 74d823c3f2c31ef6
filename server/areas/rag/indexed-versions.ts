/** What the lineage of datasets asks of this area. */
export { findKnowledgeBaseName, listHeldVersions, listIndexedVersions } from './queries/documents.ts';
