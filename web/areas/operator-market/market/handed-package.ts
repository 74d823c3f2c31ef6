type Listener = (files: readonly File[]) => void;

let waiting: readonly File[] = [];
let listener: Listener | undefined;

/** Passes files dropped on a page of the market to the publishing page: at once if it is open, else when it opens. */
export function handPackage(files: readonly File[]): void {
  if (listener === undefined) waiting = files;
  else listener(files);
}

/** Receives dropped files until the returned function is called. */
export function receivePackages(receive: Listener): () => void {
  listener = receive;
  if (waiting.length > 0) receive(waiting);
  waiting = [];
  return () => {
    if (listener === receive) listener = undefined;
  };
}
