import { type Static, Type } from 'typebox';
import { codeFields, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { KindSchema, MetricsSchema, ModalitySchema, SignatureSchema } from './operators.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const NewOperatorBody = namedObject('NewOperator', {
  manifest: recordOf(Type.Unknown(), {
    description: 'The content of operator.json',
    maxProperties: 50,
  }),
  source: Type.String({ maxLength: 4_194_304, description: 'One ES module without imports' }),
  readme: Type.Optional(Type.String({ maxLength: 262_144, description: 'Markdown; default: title and summary' })),
});

export type NewOperator = Static<typeof NewOperatorBody>;

export const newOperatorBodyLimit = 8 * 1024 * 1024;

export const PackageForm = namedObject('OperatorPackage', {
  file: Type.Unsafe<string>({ type: 'string', format: 'binary' }),
});

export const packageChecks = ['ARCHIVE', 'MANIFEST', 'FILES', 'SIGNATURE', 'NUMBER', 'EXAMPLES', 'FACTS'] as const;

export type PackageCheck = (typeof packageChecks)[number];

export const ExaminationSchema = namedObject('OperatorExamination', {
  accepted: Type.Boolean({ description: 'Whether publishing this package would succeed' }),
  checks: Type.Array(
    namedObject('OperatorPackageCheck', {
      check: oneOf('PackageCheckName', packageChecks, {
        description:
          'ARCHIVE: it can be unpacked and follows the rules; MANIFEST: operator.json; FILES: code, README and icon; SIGNATURE: operator.sig, if present; NUMBER: the id and ' +
          'version are available; EXAMPLES: they pass in the sandbox; FACTS: speed, memory and determinism were measured',
      }),
      state: oneOf('PackageCheckState', ['PASSED', 'REFUSED', 'NOT_REACHED']),
      problem: nullable(Type.String()),
      ...codeFields('problem'),
    }),
    { description: 'In the order of publishing; ends with the first that fails' },
  ),
  package: nullable(
    namedObject('ExaminedPackage', {
      id: Type.String(),
      version: Type.String(),
      name: Type.String(),
      description: Type.String(),
      author: Type.String(),
      licence: Type.String(),
      modality: ModalitySchema,
      kind: KindSchema,
      categories: Type.Array(Type.String()),
      capabilities: Type.Array(Type.String()),
      models: Type.Array(Type.String()),
      changes: nullable(Type.String()),
      examples: Type.Integer({ description: 'Number of examples' }),
      digest: Type.String(),
    }),
  ),
  latestVersion: nullable(Type.String({ description: 'The newest version published under this id' })),
  signature: nullable(SignatureSchema),
  metrics: nullable(MetricsSchema),
});

export type PackageExamination = Static<typeof ExaminationSchema>;
