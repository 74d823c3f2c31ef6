export {
  parseConfig,
  SourceError,
  type Connector,
  type Effects,
  type FetchedFile,
  type FileItem,
  type Journal,
  type LeftOutFile,
  type RowBatch,
  type RowColumn,
  type RowSet,
  type SourceCheck,
  type SourceItem,
} from './connector.ts';
export { connectors } from './registry.ts';
export { cutSample } from './sample.ts';
export { configProblems, sourceSentences } from './sentences.ts';
