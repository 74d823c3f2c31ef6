import { Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { mendings } from '../../../kernel/near-json.ts';

export const MessageSchema = namedObject('SynthesisMessage', {
  role: oneOf('SynthesisRole', ['system', 'user', 'assistant']),
  content: Type.String(),
});

export const MendedSchema = Type.Array(oneOf('ReplyMending', mendings), {
  description: 'What was changed in the reply of the model so that it became JSON that fits the schema',
});

export const UsageSchema = namedObject('SynthesisUsage', {
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cost: nullable(Type.Number({ description: 'Null if the provider reported no tokens' })),
  known: Type.Boolean({ description: 'Whether the reply was in the ledger and cost nothing' }),
});
