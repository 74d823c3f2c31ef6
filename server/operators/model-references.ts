import { Type, type TObject } from 'typebox';

/** Marks the parameter that names a chat model: forms offer models, and the service checks that it exists. */
const mark = 'x-models';

/** The schema of a parameter that names a chat model. */
export function modelParam(texts: { title: string; description: string }) {
  return Type.String({ ...texts, default: '', maxLength: 100, [mark]: 'CHAT' });
}

/** The names of the parameters that name models. */
export function findModelParams(params: TObject): string[] {
  return Object.entries(params.properties).flatMap(([name, schema]) => (mark in schema ? [name] : []));
}
