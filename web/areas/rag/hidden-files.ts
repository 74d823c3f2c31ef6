/**
 * Whether a path in a folder belongs to the leftovers of file managers, office programs or version control. A file chosen
 * by itself never does.
 */
export function isHidden(path: string): boolean {
  const [, ...inside] = path.split('/');
  const name = inside.at(-1);
  return (
    inside.some((part) => part.startsWith('.') || part === '__MACOSX') ||
    (name !== undefined && /^(?:Thumbs\.db|desktop\.ini|~\$.*)$/i.test(name))
  );
}
