import { Suspense, useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';
import { lazyPage } from './lazy-page.ts';

/** Loaded when a session has ended, not with the first page. */
const SignInAgain = lazyPage(() => import('./sign-in-again.tsx'), 'SignInAgain');

/** Asks for the password over the open page; calls refused meanwhile are then repeated. */
export function ExpiredSession() {
  const state = useSyncExternalStore(session.subscribe, session.state);
  if (state !== 'expired') return null;
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}
