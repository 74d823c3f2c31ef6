type Listener = (files: readonly File[]) => void;

let listener: Listener | undefined;

/** Whether a page that tries an operator on pictures is open. */
export function takesPictures(): boolean {
  return listener !== undefined;
}

/** Passes dropped pictures to that page. */
export function handPictures(files: readonly File[]): void {
  listener?.(files);
}

/** Receives dropped pictures until the returned function is called. */
export function receivePictures(receive: Listener): () => void {
  listener = receive;
  return () => {
    if (listener === receive) listener = undefined;
  };
}
