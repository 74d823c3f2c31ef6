import { Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../../http/schemas.ts';

export const MessageSchema = namedObject('SynthesisMessage', {
  role: oneOf('SynthesisRole', ['system', 'user', 'assistant']),
  content: Type.String(),
});

export const UsageSchema = namedObject('SynthesisUsage', {
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cost: nullable(Type.Number({ description: 'Null if the provider reported no tokens' })),
  known: Type.Boolean({ description: 'Whether the reply was in the ledger and cost nothing' }),
});
