/**
 * Whether a file in a folder is a leftover of file managers, office programs or version control. Single files never
 * are.
 */
export function isHidden(path: string): boolean {
  const [, ...inside] = path.split('/');
  const name = inside.at(-1);
  return (
    inside.some((part) => part.startsWith('.') || part === '__MACOSX') ||
    (name !== undefined && /^(?:Thumbs\.db|desktop\.ini|~\$.*)$/i.test(name))
  );
}
