/** What the lineage of datasets asks of this area. */
export { listIndexedVersions } from './queries/documents.ts';
