/** What the lineage of datasets asks of this area. */
export { findKnowledgeBaseName } from './queries/documents.ts';
export { listHeldVersions, listIndexedVersions } from './queries/held-versions.ts';
