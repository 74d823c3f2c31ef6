import { errors, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

/** A form with one file: the package. */
export type PackageReception<Answer> = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(part: { name: string; fileName: string | undefined }): {
    write(bytes: Buffer): undefined;
    end(): Promise<void>;
  };
  finish(): Promise<Answer>;
  abort(): Promise<void>;
};

const maxPackageBytes = 8 * 1024 * 1024;

/** Collects the file of a form and passes it to `finish` at the end. */
export function receivePackage<Answer>(finish: (bytes: Buffer) => Promise<Answer>): PackageReception<Answer> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  let isThere = false;
  return {
    maxParts: 10,
    field: () => {},
    file({ name }) {
      if (name !== 'file' || isThere) throw invalid(name, parameterProblems.IS_NO_FIELD_OF_PACKAGE.reason({}));
      isThere = true;
      return {
        write(bytes) {
          sizeBytes += bytes.length;
          if (sizeBytes > maxPackageBytes) {
            throw errors.PAYLOAD_TOO_LARGE({ what: 'the package', limit: `${maxPackageBytes} bytes` });
          }
          pieces.push(Buffer.from(bytes));
          return undefined;
        },
        end: async () => {},
      };
    },
    async finish() {
      if (!isThere) throw invalid('file', parameterProblems.NEEDS_PACKAGE.reason({}));
      return finish(Buffer.concat(pieces));
    },
    abort: async () => {},
  };
}
