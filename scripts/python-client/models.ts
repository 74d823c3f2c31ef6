import { generated, isEnvelope, isKeyword, typeOf, wrapped, type Document, type Schema } from './document.ts';

/** The models of the API as Python types: a TypedDict per object, a Literal per enumeration. */
export function renderPythonModels(openApi: string): string {
  const { schemas } = (JSON.parse(openApi) as Document).components;
  const entries = Object.entries(schemas)
    .filter(([name]) => !isEnvelope(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const aliases = entries.filter(([, schema]) => schema.properties === undefined);
  const isList = ([, { type }]: readonly [string, Schema]): boolean => type === 'array';
  const assigned = ([name, schema]: readonly [string, Schema]): string => `${name} = ${typeOf(schema)}`;
  const objects = entries.filter(([, schema]) => schema.properties !== undefined);
  return [
    generated,
    '"""The types of what the API takes and answers; fields have the names that they have in JSON."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Dict, List, Literal, Optional, TypedDict, Union',
    '',
    ...aliases.filter((entry) => !isList(entry)).map(assigned),
    ...objects.flatMap(([name, schema]) => ['', '', ...renderObject(name, schema)]),
    '',
    // A list type must come after the type of its elements.
    ...aliases.filter(isList).map(assigned),
    '',
  ].join('\n');
}

/** Required fields are in a separate base class: before Python 3.11 there is no other way to mark them. */
function renderObject(name: string, { properties = {}, required = [], description }: Schema): string[] {
  const fields = Object.entries(properties);
  const needed = fields.filter(([field]) => required.includes(field));
  const optional = fields.filter(([field]) => !required.includes(field));
  if (needed.length === 0) return classOf(name, 'TypedDict, total=False', optional, description);
  if (optional.length === 0) return classOf(name, 'TypedDict', needed, description);
  const base = classOf(`_${name}Required`, 'TypedDict', needed, undefined);
  if (!optional.some(([field]) => isKeyword(field)))
    return [...base, '', '', ...classOf(name, `_${name}Required, total=False`, optional, description)];
  const others = classOf(`_${name}Optional`, 'TypedDict, total=False', optional, undefined);
  return [...base, '', '', ...others, '', '', `class ${name}(_${name}Required, _${name}Optional):`, '    pass'];
}

function classOf(
  name: string,
  bases: string,
  fields: readonly (readonly [string, Schema])[],
  description: string | undefined,
): string[] {
  // A field named like a Python keyword is only possible in the functional form, whose types are quoted.
  if (fields.some(([field]) => isKeyword(field))) {
    const total = bases.includes('total=False') ? ', total=False' : '';
    const entries = fields.map(([field, schema]) => `    "${field}": ${JSON.stringify(quotable(typeOf(schema)))},`);
    return [`${name} = TypedDict("${name}", {`, ...entries, `}${total})`];
  }
  const about = description === undefined ? [] : ['    """', ...comment(description, ''), '    """', ''];
  const lines = fields.flatMap(([field, schema]) => [
    ...(schema.description === undefined ? [] : comment(schema.description, '# ')),
    `    ${field}: ${typeOf(schema)}`,
  ]);
  return [`class ${name}(${bases}):`, ...about, ...lines];
}

const quotable = (type: string): string => {
  if (type.includes('"')) throw new Error('A set of words needs a name to stand in a quoted type');
  return type;
};

const comment = (text: string, sign: string): string[] =>
  wrapped(text.replaceAll('\\', '\\\\'), 110).map((line) => `    ${sign}${line}`.trimEnd());
