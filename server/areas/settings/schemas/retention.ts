import { type Static, Type } from 'typebox';
import { namedObject, nullable } from '../../../http/schemas.ts';

export const RetentionSchema = namedObject('Retention', {
  runDays: nullable(Type.Integer({ description: 'Days to keep an ended run with its log and ledger' })),
  runsKeptPerTask: Type.Integer({ description: 'Number of latest runs of a task that are kept regardless of age' }),
  modelReplyDays: nullable(Type.Integer({ description: 'Days to keep a model reply after its last use' })),
});

export type RetentionView = Static<typeof RetentionSchema>;
