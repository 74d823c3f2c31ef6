// Made from the files of this folder by `npm run docs`; do not edit.
import { createBlobs } from './0001-blobs.ts';
import { createAuth } from './0002-auth.ts';
import { createDatasets } from './0003-datasets.ts';
import { createUploads } from './0004-uploads.ts';
import { createEngine } from './0005-engine.ts';
import { createDataCleaning } from './0006-data-cleaning.ts';
import { createCleaningTemplates } from './0007-cleaning-templates.ts';
import { createSetSteps } from './0008-set-steps.ts';
import { unshareBlobs } from './0009-unshared-blobs.ts';
import { forgetVerdicts } from './0010-checked-verdicts.ts';
import { openVersions } from './0011-open-versions.ts';
import { shareRuns } from './0012-shared-runs.ts';
import { createTasks } from './0013-tasks.ts';
import { createSecrets } from './0014-secrets.ts';
import { createModels } from './0015-models.ts';
import { createModelBudgets } from './0016-model-budgets.ts';
import { addModelCallUses } from './0017-model-call-uses.ts';
import { setAsideSamples } from './0018-set-aside.ts';
import { createDataFolders } from './0019-data-folders.ts';
import { countUnreportedCalls } from './0020-unreported-calls.ts';
import { addNameEncodings } from './0021-name-encodings.ts';
import { createUnpackedFiles } from './0022-unpacked-files.ts';
import { recordBlobFolders } from './0023-blob-folders.ts';
import { createDataCollection } from './0024-data-collection.ts';
import { addPhaseSamples } from './0025-phase-samples.ts';
import { createProfiles } from './0026-profiles.ts';
import { recordFailedOf } from './0027-failed-of.ts';
import { createExportedFiles } from './0028-exported-files.ts';
import { noteItems } from './0029-collection-notes.ts';
import { createRag } from './0030-rag.ts';
import { createSynthesisTemplates } from './0031-synthesis-templates.ts';
import { createRagRebuilds } from './0032-rag-rebuilds.ts';
import { countReadings } from './0033-rag-readings.ts';
import { createSynthesisWorks } from './0034-synthesis-works.ts';
import { findSameContent } from './0035-rag-same-content.ts';
import { addSynthesisColumns } from './0036-synthesis-columns.ts';
import { indexVersionChanges } from './0037-version-changes.ts';
import { createOperatorMarket } from './0038-operator-market.ts';
import { addRunTurns } from './0039-run-turns.ts';
import { createReferenceShards } from './0040-reference-shards.ts';
import { keepPaidVectors } from './0041-rag-kept-vectors.ts';
import { createRunTraces } from './0042-run-traces.ts';
import { addMoreSources } from './0043-more-sources.ts';
import { addDatasetCards } from './0044-dataset-cards.ts';
import { createPurges } from './0045-purges.ts';
import { indexTraceTools } from './0050-trace-tools.ts';
import { createObjectStores } from './0051-object-stores.ts';
import { createContentStatistics } from './0052-content-statistics.ts';
import { createNodes } from './0053-nodes-expand.ts';
import { createSetParts } from './0056-set-parts-expand.ts';
import { numberFoundUnits } from './0057-found-units-expand.ts';
import { storeSentences } from './0058-reasons-expand.ts';
import { countProcessEnds } from './0061-process-ends-expand.ts';
import { storeUnpackedProblems } from './0062-unpacked-problems-expand.ts';
import { storeFailureSentences } from './0063-failure-sentences-expand.ts';
import { storeItemReasons } from './0064-item-reasons-expand.ts';
import { storeStatisticsProblems } from './0065-statistics-problems-expand.ts';
import { storeWhatRunsWaitFor } from './0066-waiting-runs-expand.ts';
import { storeRecordReasons } from './0067-record-reasons-expand.ts';
import { storeVersionMessages } from './0068-version-messages-expand.ts';
import { storeFileErrors } from './0069-file-errors-expand.ts';
import { storeScheduleNotes } from './0070-schedule-notes-expand.ts';
import { addNameLanguages } from './0071-name-languages-expand.ts';
import { storeRecordMendings } from './0072-record-mendings-expand.ts';
import { storeChunkPages } from './0073-chunk-pages-expand.ts';
import type { MigrationStep } from './migration-step.ts';

/** The history of the database in order; a released step is never changed, only followed by another. */
export const migrations: Readonly<Record<string, MigrationStep>> = {
  '0001-blobs': createBlobs,
  '0002-auth': createAuth,
  '0003-datasets': createDatasets,
  '0004-uploads': createUploads,
  '0005-engine': createEngine,
  '0006-data-cleaning': createDataCleaning,
  '0007-cleaning-templates': createCleaningTemplates,
  '0008-set-steps': createSetSteps,
  '0009-unshared-blobs': unshareBlobs,
  '0010-checked-verdicts': forgetVerdicts,
  '0011-open-versions': openVersions,
  '0012-shared-runs': shareRuns,
  '0013-tasks': createTasks,
  '0014-secrets': createSecrets,
  '0015-models': createModels,
  '0016-model-budgets': createModelBudgets,
  '0017-model-call-uses': addModelCallUses,
  '0018-set-aside': setAsideSamples,
  '0019-data-folders': createDataFolders,
  '0020-unreported-calls': countUnreportedCalls,
  '0021-name-encodings': addNameEncodings,
  '0022-unpacked-files': createUnpackedFiles,
  '0023-blob-folders': recordBlobFolders,
  '0024-data-collection': createDataCollection,
  '0025-phase-samples': addPhaseSamples,
  '0026-profiles': createProfiles,
  '0027-failed-of': recordFailedOf,
  '0028-exported-files': createExportedFiles,
  '0029-collection-notes': noteItems,
  '0030-rag': createRag,
  '0031-synthesis-templates': createSynthesisTemplates,
  '0032-rag-rebuilds': createRagRebuilds,
  '0033-rag-readings': countReadings,
  '0034-synthesis-works': createSynthesisWorks,
  '0035-rag-same-content': findSameContent,
  '0036-synthesis-columns': addSynthesisColumns,
  '0037-version-changes': indexVersionChanges,
  '0038-operator-market': createOperatorMarket,
  '0039-run-turns': addRunTurns,
  '0040-reference-shards': createReferenceShards,
  '0041-rag-kept-vectors': keepPaidVectors,
  '0042-run-traces': createRunTraces,
  '0043-more-sources': addMoreSources,
  '0044-dataset-cards': addDatasetCards,
  '0045-purges': createPurges,
  '0050-trace-tools': indexTraceTools,
  '0051-object-stores': createObjectStores,
  '0052-content-statistics': createContentStatistics,
  '0053-nodes-expand': createNodes,
  '0056-set-parts-expand': createSetParts,
  '0057-found-units-expand': numberFoundUnits,
  '0058-reasons-expand': storeSentences,
  '0061-process-ends-expand': countProcessEnds,
  '0062-unpacked-problems-expand': storeUnpackedProblems,
  '0063-failure-sentences-expand': storeFailureSentences,
  '0064-item-reasons-expand': storeItemReasons,
  '0065-statistics-problems-expand': storeStatisticsProblems,
  '0066-waiting-runs-expand': storeWhatRunsWaitFor,
  '0067-record-reasons-expand': storeRecordReasons,
  '0068-version-messages-expand': storeVersionMessages,
  '0069-file-errors-expand': storeFileErrors,
  '0070-schedule-notes-expand': storeScheduleNotes,
  '0071-name-languages-expand': addNameLanguages,
  '0072-record-mendings-expand': storeRecordMendings,
  '0073-chunk-pages-expand': storeChunkPages,
};
