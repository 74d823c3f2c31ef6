import { withSentences } from '../../documents/index.ts';
import { kindOf, maxPictureSide, type Engine, type GivenFiles } from '../../engine/index.ts';
import { errors, invalid } from '../../kernel/errors.ts';
import { fileNameOf, fileTypeOf } from '../../kernel/file-path.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { PictureSteps, PicturePreview } from './schemas/previews.ts';
import { refusePreview } from './previews.ts';
import { withCodedReason } from './reason-codes.ts';
import type { StepReferences } from './references.ts';
import type { StepOperators } from './step-operators.ts';
import { anyAsksModels } from './step-models.ts';
import { parseSteps } from './steps.ts';

/** Tries out steps on uploaded pictures that are not part of a dataset. */
export type GivenPictures = {
  /** Receives a form: the steps in `request`, followed by `pictures`. `read` checks the steps. */
  receive(read: (request: unknown) => PictureSteps): PictureReception;
};

export type PictureReception = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(part: { name: string; fileName: string | undefined }): Promise<{
    write(bytes: Buffer): Promise<void>;
    end(): Promise<void>;
  }>;
  finish(): Promise<PicturePreview>;
  abort(): Promise<void>;
};

const maxPictures = 6;
const maxPictureBytes = 20 * 1024 * 1024;

export function createGivenPictures({
  engine,
  catalogue,
  references,
}: {
  engine: Pick<Engine, 'givenFiles'>;
  catalogue: StepOperators;
  references: StepReferences;
}): GivenPictures {
  async function preview(files: GivenFiles, { steps: given }: PictureSteps): Promise<PicturePreview> {
    const operators = await catalogue.operatorsFor(given);
    const steps = parseSteps(operators, given);
    if (anyAsksModels(operators, steps)) throw invalid('steps', parameterProblems.ASKS_MODELS_OF_PICTURES.reason({}));
    const named = await references.resolve(steps);
    const samples = await refusePreview(
      files.preview({ steps: named, pictureSide: maxPictureSide, reference: references.open }),
    );
    return {
      samples: samples.map((sample) => ({
        ...withCodedReason(sample),
        receipt: withSentences(sample.receipt),
        steps: sample.steps.map(withCodedReason),
      })),
    };
  }

  return {
    receive(read) {
      const files = engine.givenFiles();
      let request: PictureSteps | undefined;
      let pictures = 0;
      return {
        maxParts: maxPictures + 2,
        field(name, value) {
          if (name !== 'request') throw invalid(name, parameterProblems.IS_NO_FIELD_OF_PICTURES.reason({}));
          request = read(parseJson(value));
        },
        async file({ name, fileName }) {
          if (name !== 'pictures') throw invalid(name, parameterProblems.IS_NO_FIELD_OF_PICTURES.reason({}));
          pictures += 1;
          if (pictures > maxPictures)
            throw invalid('pictures', parameterProblems.MANY_PICTURES.reason({ limit: maxPictures }));
          const path = fileNameOf((fileName ?? '').replaceAll('\\', '/'));
          if (kindOf(fileTypeOf(path)) !== 'MEDIA')
            throw invalid('pictures', parameterProblems.NAMES_NO_PICTURE.reason({ name: JSON.stringify(path) }));
          const sink = await files.add(path);
          let sizeBytes = 0;
          return {
            ...sink,
            async write(bytes) {
              sizeBytes += bytes.length;
              if (sizeBytes > maxPictureBytes)
                throw errors.PAYLOAD_TOO_LARGE({ what: `the picture ${path}`, limit: `${maxPictureBytes} bytes` });
              await sink.write(bytes);
            },
          };
        },
        async finish() {
          try {
            if (request === undefined) throw invalid('request', parameterProblems.IS_REQUIRED.reason({}));
            if (pictures === 0) throw invalid('pictures', parameterProblems.IS_REQUIRED.reason({}));
            return await preview(files, request);
          } finally {
            await files.close();
          }
        },
        abort: () => files.close(),
      };
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('request', parameterProblems.MUST_BE_JSON.reason({}));
  }
}
