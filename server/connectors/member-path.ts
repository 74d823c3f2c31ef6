/**
 * A path to a member of JSON:
 *
 *     path    = [ name ] *( "." name / bracket )
 *     bracket = "[" ( index / quoted ) "]"
 *     index   = [ "-" ] 1*DIGIT                    ; from the end if negative
 *     quoted  = <"> characters <"> / "'" characters "'"
 *
 * A backslash takes the next character literally. A name may also contain a plain dot, as `@odata.nextLink` does: where an
 * object lacks the shorter name, the longer one is tried.
 */
export type MemberPath = readonly Step[];

/** A member by name or position; `isWhole`: the name is exact and is not joined with the next one. */
type Step = { name: string; isWhole: boolean };

/** Reads a path; undefined if a bracket or quotation mark is not closed. */
export function parseMemberPath(text: string): MemberPath | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const bracket = text[at] === '[' ? readBracket(text, at) : undefined;
    if (text[at] === '[' && bracket === undefined) return undefined;
    if (bracket !== undefined) {
      steps.push({ name: bracket.name, isWhole: true });
      at = bracket.end;
      if (text[at] === '.') at += 1;
      else if (at < text.length && text[at] !== '[') return undefined;
      continue;
    }
    const { name, isWhole, end } = readName(text, at);
    steps.push({ name, isWhole });
    at = text[end] === '.' ? end + 1 : end;
  }
  return text.endsWith('.') && !text.endsWith('\\.') ? undefined : steps;
}

function readName(text: string, start: number): Step & { end: number } {
  let name = '';
  let isWhole = false;
  let at = start;
  while (at < text.length && text[at] !== '.' && text[at] !== '[') {
    if (text[at] === '\\' && at + 1 < text.length) {
      isWhole ||= text[at + 1] === '.';
      at += 1;
    }
    name += text[at];
    at += 1;
  }
  return { name, isWhole, end: at };
}

function readBracket(text: string, start: number): { name: string; end: number } | undefined {
  const mark = text[start + 1];
  if (mark !== '"' && mark !== "'") {
    const [whole, index] = /^\[(-?\d+)\]/.exec(text.slice(start)) ?? [];
    return whole === undefined || index === undefined ? undefined : { name: index, end: start + whole.length };
  }
  let name = '';
  for (let at = start + 2; at < text.length; at += 1) {
    if (text[at] === mark) return text[at + 1] === ']' ? { name, end: at + 2 } : undefined;
    if (text[at] === '\\' && at + 1 < text.length) at += 1;
    name += text[at];
  }
  return undefined;
}

/** The member at a path, and the object or list that holds it; undefined if there is none. */
export function findMember(body: unknown, path: MemberPath): { value: unknown; holder: unknown } | undefined {
  return findIn(body, path, undefined);
}

type Found = { value: unknown; holder: unknown };

function findIn(value: unknown, path: MemberPath, holder: unknown): Found | undefined {
  const [first] = path;
  if (first === undefined) return { value, holder };
  if (typeof value !== 'object' || value === null) return undefined;
  let name = '';
  for (const [index, step] of path.entries()) {
    name = index === 0 ? step.name : `${name}.${step.name}`;
    const key = Array.isArray(value) && /^-\d+$/.test(name) ? String(value.length + Number(name)) : name;
    if (Object.hasOwn(value, key)) {
      const found = findIn((value as Record<string, unknown>)[key], path.slice(index + 1), value);
      if (found !== undefined) return found;
    }
    if (step.isWhole || path[index + 1]?.isWhole === true) return undefined;
  }
  return undefined;
}
