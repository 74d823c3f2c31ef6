/** What a user may do: ADMIN everything, EDITOR data and tasks, VIEWER reads. */
export type Role = 'ADMIN' | 'EDITOR' | 'VIEWER';

/** Roles from the weakest to the strongest. */
export const roles = ['VIEWER', 'EDITOR', 'ADMIN'] as const satisfies readonly Role[];

/** The caller and the credential of a call. */
export type Principal = {
  userId: string;
  username: string;
  role: Role;
  /** Stable key of the credential; rate limits count by it. */
  credentialId: string;
  via: 'token' | 'cookie' | 'api-key';
};

/** Whether a role includes the rights of another. */
export function includesRole(has: Role, needs: Role): boolean {
  return roles.indexOf(has) >= roles.indexOf(needs);
}
