/** Headers of every answer; a route may set its own policy, as downloads (`sandbox`) and pages do. */
export const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
];
