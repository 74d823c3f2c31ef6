/** An area with tasks that run: its prefix in the API, and the address of its list of tasks. */
export type RunArea =
  | { prefix: 'data-cleaning'; path: '/cleaning' }
  | { prefix: 'data-collection'; path: '/collection' };
