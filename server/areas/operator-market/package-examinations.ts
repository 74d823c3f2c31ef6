import type { AppError } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { codedReason, type Reason } from '../../kernel/sentences/index.ts';
import { manifestPath, type OperatorPackage, type PackageMetrics } from '../../operator-packages/index.ts';
import { packageChecks, type PackageCheck, type PackageExamination } from './schemas/packages.ts';

/** The outcome of checking a package: what was found before the first check that refused it. */
export type CheckedPackage =
  | { readonly found: OperatorPackage; readonly metrics: PackageMetrics; readonly refused: undefined }
  | {
      readonly found: OperatorPackage | undefined;
      readonly metrics: undefined;
      readonly refused: { readonly check: PackageCheck; readonly error: AppError };
    };

const refusals = [
  'PACKAGE_REFUSED',
  'OPERATOR_ALREADY_EXISTS',
  'OPERATOR_VERSION_ALREADY_EXISTS',
  'OPERATOR_VERSION_SPENT',
];

/** Whether an error is a refusal of the package. */
export function isRefusal({ code }: AppError): boolean {
  return refusals.includes(code);
}

/** The check to which a problem with the package's content belongs. */
export function placeOf(error: AppError): PackageCheck {
  const { code, params } = causeOf(error).sentence ?? { code: '', params: {} };
  if (code === 'PACKAGE_BAD_SIGNATURE') return 'SIGNATURE';
  return code === 'PACKAGE_FIELD' || params['path'] === manifestPath ? 'MANIFEST' : 'FILES';
}

export function examinationOf(
  { found, metrics, refused }: CheckedPackage,
  known: Pick<PackageExamination, 'latestVersion' | 'signature'>,
): PackageExamination {
  const end = refused === undefined ? packageChecks.length : packageChecks.indexOf(refused.check);
  return {
    accepted: refused === undefined,
    checks: packageChecks.map((check, at) => ({
      check,
      state: at < end ? 'PASSED' : at === end ? 'REFUSED' : 'NOT_REACHED',
      ...codedReason('problem', at === end && refused !== undefined ? causeOf(refused.error) : null),
    })),
    package: found === undefined ? null : packageOf(found),
    ...known,
    metrics: metrics ?? null,
  };
}

/** The problem alone, without the sentence that the package is refused. */
function causeOf(error: AppError): Reason {
  const { cause } = error.values;
  return typeof cause === 'object' ? cause : reasonOf(error);
}

function packageOf({ manifest, digest }: OperatorPackage): PackageExamination['package'] {
  const { id, version, title, summary, author, licence, modality, kind, categories } = manifest;
  return {
    id,
    version,
    name: title,
    description: summary,
    author,
    licence,
    modality,
    kind,
    categories: [...categories],
    capabilities: [...(manifest.capabilities ?? [])],
    models: [...(manifest.models ?? [])],
    changes: manifest.changes ?? null,
    examples: manifest.examples.length,
    digest,
  };
}
