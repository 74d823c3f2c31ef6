import { type Static, Type } from 'typebox';
import { namedObject, nullable } from '../../../http/schemas.ts';

export const RetentionSchema = namedObject('Retention', {
  runDays: nullable(
    Type.Integer({ description: 'Days after its end for which a run is kept, with its log and ledger' }),
  ),
  runsKeptPerTask: Type.Integer({ description: 'The latest runs of a task, which are kept however old they are' }),
  modelReplyDays: nullable(
    Type.Integer({ description: 'Days for which a reply of a model is kept after it was asked for last' }),
  ),
});

export type RetentionView = Static<typeof RetentionSchema>;
