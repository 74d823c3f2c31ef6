import { toTar, toZip } from '../contract/archive-bytes.ts';
import { storedOf } from './caller.ts';
import { chunkedUploadStep, standsAt } from './chunked-upload.ts';
import type { Stored } from './client-journal.ts';
import type { Random } from './random.ts';
import { streamStep, wholeFilesStep, type Step } from './steps.ts';

/** A client's content, and how to recognise it. */
export type Content = { bytes: Buffer; stored: Stored };

type Forgetting = { mayForgetChunks(): boolean };

const chunksPerFile = 4;

/** Files `<folder>/<n>.txt` in four chunks each, all chunks shuffled. */
export function chunksUploadStep(
  random: Random,
  folder: string,
  sizes: readonly { sizeBytes: number; chunkSize: number }[],
  options: Forgetting,
): Step {
  const files = sizes.map(({ sizeBytes, chunkSize }, index) => {
    const { bytes, stored } = createContent(random, sizeBytes);
    const path = `${folder}/${index}.txt`;
    return { path, bytes, chunkSize, outcomes: standsAt(path, stored) };
  });
  const order = files.flatMap(({ bytes, chunkSize }, fileNo) =>
    Array.from(
      { length: Math.max(1, Math.ceil(bytes.length / chunkSize)) },
      (_, index) => [fileNo, index + 1] as const,
    ),
  );
  return chunkedUploadStep({ files, order: random.shuffle(order) }, options);
}

/** A zip `<name>.zip` in chunks, to be unpacked: half of its entries compressed. */
export function archiveUploadStep(random: Random, name: string, sizes: readonly number[], options: Forgetting): Step {
  const contents = createContents(random, name, sizes);
  const bytes = toZip(
    [...contents].map(([path, { bytes: content }], index) => ({ name: path, content, deflate: index % 2 === 0 })),
  );
  const path = `${name}.zip`;
  const chunkSize = Math.max(1, Math.ceil(bytes.length / chunksPerFile));
  const waiting: Stored = { ...storedOf(bytes), waiting: true };
  const file = { path, bytes, chunkSize, outcomes: [new Map([[path, waiting]]), storedOfAll(contents)] };
  const chunkNumbers = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) => index + 1);
  const order = random.shuffle(chunkNumbers).map((chunkNo) => [0, chunkNo] as const);
  return chunkedUploadStep({ files: [file], order, hasArchive: true }, options);
}

export function tarStreamStep(random: Random, folder: string, sizes: readonly number[]): Step {
  const contents = createContents(random, folder, sizes);
  const tar = toTar([...contents].map(([path, { bytes: content }]) => ({ name: path, content })));
  return streamStep('tar', tar, storedOfAll(contents));
}

export function zipStreamStep(random: Random, folder: string, sizes: readonly number[]): Step {
  const contents = createContents(random, folder, sizes);
  const zip = toZip([...contents].map(([path, { bytes: content }]) => ({ name: path, content, deflate: true })));
  return streamStep('zip', zip, storedOfAll(contents));
}

export function wholeUploadStep(random: Random, folder: string, sizes: readonly number[]): Step {
  return wholeFilesStep(createContents(random, folder, sizes));
}

export function createContent(random: Random, sizeBytes: number): Content {
  const bytes = random.bytes(sizeBytes);
  return { bytes, stored: storedOf(bytes) };
}

function createContents(random: Random, folder: string, sizes: readonly number[]): Map<string, Content> {
  return new Map(sizes.map((size, index) => [`${folder}/${index}.txt`, createContent(random, size)]));
}

function storedOfAll(contents: ReadonlyMap<string, Content>): Map<string, Stored> {
  return new Map([...contents].map(([path, { stored }]) => [path, stored]));
}
