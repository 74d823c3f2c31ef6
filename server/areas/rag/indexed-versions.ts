/** What the lineage of datasets uses from this area. */
export { findKnowledgeBaseName } from './queries/documents.ts';
export { listHeldVersions, listIndexedVersions } from './queries/held-versions.ts';
