import { isUtf8 } from 'node:buffer';
import { invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';

/** Gathers the fields of a form that are not files. */
export type FormFields = {
  begin(name: string): void;
  /** Throws INVALID_PARAMETER beyond the limit of all fields together. */
  take(bytes: Buffer): void;
  /** Passes the field on; throws INVALID_PARAMETER if it is not UTF-8. */
  end(): void;
};

const empty = Buffer.alloc(0);

export function createFormFields(handler: { field(name: string, value: string): void }, maxBytes: number): FormFields {
  let name = '';
  let pieces: Buffer[] = [];
  let totalBytes = 0;
  return {
    begin(given) {
      name = given;
    },
    take(bytes) {
      totalBytes += bytes.length;
      if (totalBytes > maxBytes) throw invalid(name, parameterProblems.HAS_LONG_FIELDS.reason({ limit: maxBytes }));
      pieces.push(bytes);
    },
    end() {
      const [first] = pieces;
      const bytes = first === undefined ? empty : pieces.length === 1 ? first : Buffer.concat(pieces);
      pieces = [];
      if (!isUtf8(bytes)) throw invalid(name, parameterProblems.IS_NO_UTF8.reason({}));
      handler.field(name, bytes.toString('utf8'));
    },
  };
}
