import type {
  CleaningTask,
  CleaningTaskPage,
  CollectionTask,
  CollectionTaskPage,
  SynthesisTask,
  SynthesisTaskPage,
} from '../api/schema.ts';

// The areas with tasks that run: prefix in the API, address of the list of tasks, and the name of the area's texts.
export const cleaning = { prefix: 'data-cleaning', path: '/cleaning', name: 'cleaning' } as const;
export const collection = { prefix: 'data-collection', path: '/collection', name: 'collection' } as const;
export const synthesis = { prefix: 'data-synthesis', path: '/synthesis', name: 'synthesis' } as const;

export type RunArea = typeof cleaning | typeof collection | typeof synthesis;

type Tasks = {
  'data-cleaning': [CleaningTask, CleaningTaskPage];
  'data-collection': [CollectionTask, CollectionTaskPage];
  'data-synthesis': [SynthesisTask, SynthesisTaskPage];
};

/** An area's task as in the API, and a page of tasks. */
export type TaskOf<Area extends RunArea> = Tasks[Area['prefix']][0];
export type TaskPageOf<Area extends RunArea> = Tasks[Area['prefix']][1];

/** What an area calls its inputs: the wording of their counts depends on it. */
export type Inputs = 'samples' | 'items' | 'records';

const inputsByPrefix = { 'data-cleaning': 'samples', 'data-collection': 'items', 'data-synthesis': 'records' } as const;

export function inputsOf({ prefix }: RunArea): Inputs {
  return inputsByPrefix[prefix];
}

/** Message keys of counts, by the kind of input. */
export const countsTexts = { samples: 'counts', items: 'itemCounts', records: 'recordCounts' } as const;
