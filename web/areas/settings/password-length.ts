/** Whether the service accepts a password of this length, in characters. */
export function isPasswordLength(password: string): boolean {
  const { length } = [...password];
  return length >= 12 && length <= 128;
}
