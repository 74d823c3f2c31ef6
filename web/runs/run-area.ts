/** An area with tasks that run: its prefix in the API, and the address of its list of tasks. */
export type RunArea =
  | { prefix: 'data-cleaning'; path: '/cleaning' }
  | { prefix: 'data-collection'; path: '/collection' };

/** What an area calls its inputs: the words for what became of them differ. */
export type Inputs = 'samples' | 'items';

export function inputsOf({ prefix }: RunArea): Inputs {
  return prefix === 'data-collection' ? 'items' : 'samples';
}
