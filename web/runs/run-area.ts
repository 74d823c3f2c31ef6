/** An area with tasks that run: its prefix in the API, and the address of its list of tasks. */
export type RunArea =
  | { prefix: 'data-cleaning'; path: '/cleaning' }
  | { prefix: 'data-collection'; path: '/collection' }
  | { prefix: 'data-synthesis'; path: '/synthesis' };

/** What an area calls its inputs: the words for what became of them differ. */
export type Inputs = 'samples' | 'items' | 'records';

const inputsByPrefix = { 'data-cleaning': 'samples', 'data-collection': 'items', 'data-synthesis': 'records' } as const;

export function inputsOf({ prefix }: RunArea): Inputs {
  return inputsByPrefix[prefix];
}

/** The texts of counts, by what the inputs are called. */
export const countsTexts = { samples: 'counts', items: 'itemCounts', records: 'recordCounts' } as const;
