// Places of the product to mutate: drawn by a seed from the modules that the last commits of the changelog changed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { seededRandom, type Random } from '../support/seeded-random.ts';

/** A range of a module's text (UTF-16 units) and its replacement. */
export type Mutation = { start: number; end: number; text: string };

export type Place = {
  /** Subject of the commit that changed the module. */
  commit: string;
  file: string;
  /** From 1. */
  line: number;
  before: string;
  after: string;
  mutation: Mutation;
  /** The expression that `mutation` breaks. */
  expression: { start: number; end: number };
};

type Node = { type: string; start: number; end: number; [key: string]: unknown };

const opposites: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

/** `count` places, one for each of the last commits that changed the changelog and modules of the product. */
export function choosePlaces(seed: number, count: number): Place[] {
  const random = seededRandom(seed);
  const places: Place[] = [];
  const log = execFileSync('git', ['log', '--format=%H %s', '--', 'CHANGELOG.md'], { encoding: 'utf8' });
  for (const entry of log.trim().split('\n')) {
    if (places.length === count) break;
    const place = choosePlace(entry.slice(0, 40), entry.slice(41), random);
    if (place !== undefined) places.push(place);
  }
  return places;
}

function choosePlace(hash: string, commit: string, random: Random): Place | undefined {
  const names = execFileSync('git', ['show', '--name-only', '--format=', hash], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const files = names.filter(
    (name) => /^(?:server|web)\/.*\.tsx?$/.test(name) && !/\.test\.|\.d\.ts$/.test(name) && existsSync(name),
  );
  while (files.length > 0) {
    const [file = ''] = files.splice(random.integer(files.length), 1);
    const source = readFileSync(file, 'utf8');
    const found = findPlaces(source, file.endsWith('x'));
    if (found.length === 0) continue;
    const { expression, mutation } = random.pick(found);
    const line = source.slice(0, mutation.start).split('\n').length;
    return {
      commit,
      file,
      line,
      before: lineOf(source, line),
      after: lineOf(mutate(source, mutation), line),
      mutation,
      expression,
    };
  }
  return undefined;
}

const lineOf = (source: string, line: number) => source.split('\n')[line - 1]?.trim() ?? '';

export const mutate = (source: string, { start, end, text }: Mutation) =>
  source.slice(0, start) + text + source.slice(end);

/** All expressions within functions that can be mutated, with one mutation each. */
export function findPlaces(source: string, hasElements = false): Pick<Place, 'expression' | 'mutation'>[] {
  const found: Pick<Place, 'expression' | 'mutation'>[] = [];
  const visit = (node: Node, isWithinFunction: boolean): void => {
    const mutation = isWithinFunction ? mutationOf(node, source) : undefined;
    if (mutation !== undefined) found.push({ expression: { start: node.start, end: node.end }, mutation });
    const isFunction = /Function/.test(node.type);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'key' && node['computed'] !== true) continue;
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
        if (isNode(child) && (!child.type.startsWith('TS') || holdsExpression.test(child.type)))
          visit(child, isWithinFunction || isFunction);
    }
  };
  visit(parseAst(source, { lang: hasElements ? 'tsx' : 'ts' }) as unknown as Node, false);
  return found;
}

/** The TypeScript-only syntax nodes that can contain an expression. */
const holdsExpression = /^TS(?:As|Satisfies|NonNull)Expression$/;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function mutationOf(node: Node, source: string): Mutation | undefined {
  const replaced = (text: string) => ({ start: node.start, end: node.end, text });
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const left = node['left'] as Node;
      const operator = node['operator'] as string;
      const opposite = opposites[operator];
      const start = source.indexOf(operator, left.end);
      return opposite === undefined ? undefined : { start, end: start + operator.length, text: opposite };
    }
    case 'ConditionalExpression':
      return { start: node.start, end: (node['test'] as Node).end, text: `!(${textOf(node['test'] as Node)})` };
    case 'UnaryExpression':
      return node['operator'] === '!' ? replaced(`(${textOf(node['argument'] as Node)})`) : undefined;
    case 'Literal':
      if (typeof node['value'] === 'boolean') return replaced(String(!node['value']));
      return typeof node['value'] === 'number' ? replaced(String(node['value'] + 1)) : undefined;
    default:
      return undefined;
  }
}
