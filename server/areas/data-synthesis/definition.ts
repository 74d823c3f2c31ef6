import type { Chunking } from '../../chunking/chunking.ts';
import type { Caps } from '../../models/index.ts';
import type { Judge, NewSynthesisTask, SynthesisFields } from './schemas/tasks.ts';
import type { SourceInput } from './source-samples.ts';
import type { Checks } from './schemas/generations.ts';
import type { InstructionDefinition } from './schemas/templates.ts';

/** The stored definition of a synthesis task. */
export type SynthesisDefinition = {
  templateId: string;
  templateName: string;
  templateVersion: number;
  /** A copy of the template in that version: the template may be changed or deleted later. */
  template: InstructionDefinition;
  /** The values given for its variables. */
  variables: Record<string, string>;
  sourceDatasetId: string;
  sourceDatasetName: string;
  sourceVersion: number | null;
  input: SourceInput;
  chunking: Chunking;
  model: string;
  perSample: number;
  maxSamples: number | null;
  checks: Checks;
  judge: Judge | null;
  format: SynthesisFields['format'];
  provenance: boolean;
  budget: Caps;
  targetDatasetId: string | null;
  targetDatasetName: string;
  /** Whether the task itself creates the target dataset. */
  ownsTarget: boolean;
};

/** The stored details of a run. */
export type SynthesisDetails = Pick<
  SynthesisDefinition,
  | 'templateId'
  | 'templateVersion'
  | 'template'
  | 'sourceDatasetId'
  | 'input'
  | 'chunking'
  | 'model'
  | 'perSample'
  | 'maxSamples'
  | 'checks'
  | 'judge'
  | 'format'
  | 'provenance'
  | 'budget'
> & {
  /** Shared by a run and the runs that resume it; also the id of their budget. */
  workId: string;
  sourceVersion: number;
  /** How many times the source had been purged before the run. */
  purges?: number;
  /** Versions of the datasets that columns draw rows from, by column name. */
  seedVersions?: Record<string, number>;
  /** Values of all variables. */
  variables: Record<string, string>;
  taskName: string;
};

/** Converts a stored definition back to the form of a request. */
export function givenOf(definition: SynthesisDefinition): Omit<NewSynthesisTask, 'name'> {
  const {
    template: _template,
    templateName: _templateName,
    sourceDatasetName: _sourceName,
    ownsTarget,
    targetDatasetId,
    targetDatasetName,
    input: { textField, ...input },
    chunking: { separators, ...chunking },
    ...rest
  } = definition;
  return {
    ...rest,
    input: textField === null ? input : { ...input, textField },
    chunking: separators === undefined ? chunking : { ...chunking, separators: [...separators] },
    ...(!ownsTarget && targetDatasetId !== null ? { targetDatasetId } : { targetDatasetName }),
  };
}
