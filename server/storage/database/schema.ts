import type { ApiKeysTable, LoginFailuresTable, RevokedTokensTable, UsersTable } from './tables/auth.ts';
import type {
  AssembliesTable,
  AssemblyChunksTable,
  AssemblyClaimsTable,
  BlobsTable,
  DataFoldersTable,
  ObjectStoresTable,
} from './tables/blobs.ts';
import type {
  ContentStatisticsTable,
  DatasetCountsTable,
  DatasetTagsTable,
  DatasetsTable,
  DirectoriesTable,
  FileBucketsTable,
  FilesTable,
  FoldersTable,
  PurgesTable,
  TagsTable,
  VersionsTable,
} from './tables/datasets.ts';
import type { ArchivesTable, StagedEntriesTable, UploadFilesTable, UploadsTable } from './tables/uploads.ts';
import type { CleaningTemplatesTable } from './tables/data-cleaning.ts';
import type {
  ExportedFilesTable,
  LineageSourcesTable,
  LineageTable,
  ProfilesTable,
  ReferenceShardsTable,
  SetPartsTable,
  SetVerdictsTable,
  ShardSignaturesTable,
  ShardsTable,
  UnpackedFilesTable,
} from './tables/engine.ts';
import type {
  CollectionItemsTable,
  CollectionNotesTable,
  CollectionRunsTable,
  CollectionStatesTable,
} from './tables/data-collection.ts';
import type {
  SynthesisEditsTable,
  SynthesisRecordsTable,
  SynthesisSamplesTable,
  SynthesisTemplatesTable,
  SynthesisTemplateVersionsTable,
  SynthesisWorksTable,
} from './tables/data-synthesis.ts';
import type {
  MarketOperatorsTable,
  MarketRatingsTable,
  MarketVersionsTable,
  PublisherKeysTable,
} from './tables/operator-market.ts';
import type { NodesTable } from './tables/nodes.ts';
import type { TaskLinksTable, TasksTable } from './tables/tasks.ts';
import type {
  RunDatasetsTable,
  RunLogsTable,
  RunsTable,
  RunTraceDatasetsTable,
  RunTraceToolsTable,
  RunTracesTable,
} from './tables/runs.ts';
import type {
  ModelBudgetsTable,
  ModelCallsTable,
  ModelProcessesTable,
  ModelSlotsTable,
  ModelsTable,
  ModelUsageTable,
} from './tables/models.ts';
import type {
  KnowledgeBasesTable,
  RagChunksTable,
  RagDisposalsTable,
  RagDocumentsTable,
  RagRebuildsTable,
  RagUnitsTable,
  RagVectorsTable,
} from './tables/rag.ts';
import type { SecretKeysTable, SecretsTable } from './tables/secrets.ts';

/** Every table: its name → the type of its rows. */
export type Tables = {
  users: UsersTable;
  api_keys: ApiKeysTable;
  revoked_tokens: RevokedTokensTable;
  login_failures: LoginFailuresTable;
  blobs: BlobsTable;
  assemblies: AssembliesTable;
  assembly_chunks: AssemblyChunksTable;
  assembly_claims: AssemblyClaimsTable;
  object_stores: ObjectStoresTable;
  data_folders: DataFoldersTable;
  datasets: DatasetsTable;
  tags: TagsTable;
  dataset_tags: DatasetTagsTable;
  dataset_counts: DatasetCountsTable;
  versions: VersionsTable;
  files: FilesTable;
  directories: DirectoriesTable;
  folders: FoldersTable;
  file_buckets: FileBucketsTable;
  purges: PurgesTable;
  content_statistics: ContentStatisticsTable;
  uploads: UploadsTable;
  upload_files: UploadFilesTable;
  archives: ArchivesTable;
  staged_entries: StagedEntriesTable;
  runs: RunsTable;
  run_datasets: RunDatasetsTable;
  shards: ShardsTable;
  run_logs: RunLogsTable;
  run_traces: RunTracesTable;
  run_trace_datasets: RunTraceDatasetsTable;
  run_trace_tools: RunTraceToolsTable;
  shard_signatures: ShardSignaturesTable;
  set_verdicts: SetVerdictsTable;
  set_parts: SetPartsTable;
  reference_shards: ReferenceShardsTable;
  unpacked_files: UnpackedFilesTable;
  exported_files: ExportedFilesTable;
  lineage: LineageTable;
  lineage_sources: LineageSourcesTable;
  profiles: ProfilesTable;
  tasks: TasksTable;
  task_links: TaskLinksTable;
  cleaning_templates: CleaningTemplatesTable;
  collection_items: CollectionItemsTable;
  collection_notes: CollectionNotesTable;
  collection_runs: CollectionRunsTable;
  collection_states: CollectionStatesTable;
  synthesis_templates: SynthesisTemplatesTable;
  synthesis_template_versions: SynthesisTemplateVersionsTable;
  synthesis_works: SynthesisWorksTable;
  synthesis_samples: SynthesisSamplesTable;
  synthesis_records: SynthesisRecordsTable;
  synthesis_edits: SynthesisEditsTable;
  secrets: SecretsTable;
  secret_keys: SecretKeysTable;
  models: ModelsTable;
  model_calls: ModelCallsTable;
  model_usage: ModelUsageTable;
  model_budgets: ModelBudgetsTable;
  model_processes: ModelProcessesTable;
  model_slots: ModelSlotsTable;
  knowledge_bases: KnowledgeBasesTable;
  rag_documents: RagDocumentsTable;
  rag_rebuilds: RagRebuildsTable;
  rag_disposals: RagDisposalsTable;
  rag_units: RagUnitsTable;
  rag_chunks: RagChunksTable;
  rag_vectors: RagVectorsTable;
  market_operators: MarketOperatorsTable;
  market_versions: MarketVersionsTable;
  market_ratings: MarketRatingsTable;
  publisher_keys: PublisherKeysTable;
  nodes: NodesTable;
};
