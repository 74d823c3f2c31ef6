export { createEngine, type Engine, type EngineOptions } from './drive/engine.ts';
export type { Lineage } from './drive/lineage.ts';
export type { Cluster } from './drive/engine-pools.ts';
export { serveOrders } from './drive/remote/order-service.ts';
export type { InputFile, Job, OpenReference, OutputFile, ReferenceSource } from './drive/job.ts';
export { findBlobsInNotes, listBlobRuns, listHeldReferences } from './drive/queries/blob-runs.ts';
export { findPurged } from './drive/purged-input.ts';
export { recipeOf, recipeRunOf, type RecipeRun } from './drive/recipe-run.ts';
export type { PreviewUsage } from './drive/models/preview-models.ts';
export type { GivenFiles } from './drive/preview/given-files.ts';
export { givenTextsPath } from './drive/preview/given-texts.ts';
export { maxPictureSide, maxPreviewText, type PreviewInput } from './drive/preview/preview.ts';
export type { PreviewSample, PreviewStep, PreviewText } from './orders/preview-jobs.ts';
export { kindOf, type InputKind, type InputLook } from './drive/preview/input-look.ts';
export type { FileBeginning } from './drive/preview/file-preview.ts';
export { isDocumentSkipped } from './orders/row-filter.ts';
export { SetupError } from './orders/setup-error.ts';
export type { Verdict } from './orders/steps.ts';
export type { Step } from './orders/steps.ts';
export { fieldsOf, leadsToSeveralTexts } from './orders/row-texts.ts';
export type { OnError, Recipe, TextFieldsRule, VerdictCount } from './orders/shard.ts';
export type { RunInput } from './drive/ledger/input-reader.ts';
export { operatorOf, type LedgerEntry, type LedgerFilter } from './orders/ledger-entry.ts';
export { maxRawLength, type FoundSample, type StepSummary } from './drive/ledger/ledger-reader.ts';
export type { Bound, RethresholdPlan, Rethresholded } from './orders/rethresholding.ts';
export {
  profileOf,
  profileSteps,
  type Profile,
  type ProfileScore,
  type ProfileShare,
} from './drive/profiles/profile.ts';
export type { StoredProfile } from './drive/profiles/profile-driver.ts';
