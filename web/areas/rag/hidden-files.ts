/** What file managers, office programs and version control leave in folders. A file that was chosen by itself is meant. */
export function isHidden(path: string): boolean {
  const [, ...inside] = path.split('/');
  const name = inside.at(-1);
  return (
    inside.some((part) => part.startsWith('.') || part === '__MACOSX') ||
    (name !== undefined && /^(?:Thumbs\.db|desktop\.ini|~\$.*)$/i.test(name))
  );
}
