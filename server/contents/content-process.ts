// A process that counts one content at a time and can be killed at any time, without network and environment.
import { closeSync, openSync, readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { mayBeCutOff } from '../operators/images/picture-ends.ts';
import { checkPicture, openPicture } from '../operators/images/pictures.ts';
import { endWithParent, limitMemory } from '../processes/child-limits.ts';
import { libraryProblem } from '../tables/library-problem.ts';
import { readTexts } from '../tables/views/view-texts.ts';
import type { ContentAnswer, ContentLimits, ContentRequest } from './content-protocol.ts';
import { createTextCounter } from './text-counter.ts';

const limits = JSON.parse(process.argv[2] ?? '') as ContentLimits;

const watchMemory = limitMemory(limits.memoryBytes);
setPriority(constants.priority.PRIORITY_LOW);
endWithParent();
process.on('message', (request: ContentRequest) => {
  count(request).then(
    (answered) => process.send?.(answered),
    (error: unknown) => process.send?.({ problem: problemOf(error) }),
  );
});

function problemOf(error: unknown): Reason {
  return error instanceof ReasonedError ? error.reason : libraryProblem(error, limits.memoryBytes);
}

async function count(request: ContentRequest): Promise<ContentAnswer> {
  watchMemory();
  if (request.kind === 'image') return { image: await countImage(request) };
  const counter = createTextCounter();
  if (request.kind === 'text') {
    const isEmpty = request.text === '';
    if (!isEmpty) counter.add(request.text);
    return { texts: counter.facts({ texts: isEmpty ? 0 : 1, empty: isEmpty ? 1 : 0, repeated: 0 }) };
  }
  const { table, fields } = request;
  const { field, ...counts } = await readTexts({ table, fields, limits }, (text) => counter.add(text));
  return { field, texts: counter.facts(counts) };
}

async function countImage({
  path,
  offset,
  sizeBytes,
  type,
}: ContentRequest & { kind: 'image' }): Promise<{ width: number; height: number; format: string }> {
  const bytes = Buffer.alloc(sizeBytes);
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < sizeBytes;) {
      const read = readSync(file, bytes, at, sizeBytes - at, offset + at);
      if (read === 0) throw new Error('The picture is shorter than it was');
      at += read;
    }
  } finally {
    closeSync(file);
  }
  const picture = await openPicture({ type, bytes });
  const { width, height, format } = picture.facts;
  // Decoding all pixels of every picture would take a hundred times as long.
  if (mayBeCutOff(bytes, format)) await checkPicture(picture);
  return { width, height, format };
}
