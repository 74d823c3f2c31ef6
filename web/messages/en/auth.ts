export const auth = {
  signIn: {
    title: 'Sign in',
    lead: 'Prepare data for machine learning: collect, clean and search it.',
    username: 'User name',
    password: 'Password',
    submit: 'Sign in',
    firstStart: 'First start? The password of “admin” was printed where the service was started.',
    wrong: 'User name or password is wrong.',
    throttled: 'Too many failed tries. Wait {{minutes}} min and try again.',
    required: 'Fill this in',
  },
  expired: {
    title: 'Please sign in again',
    lead: 'Your session has ended. What you typed is still here; after signing in, this page goes on where it was.',
    other: 'Sign in as someone else',
  },
};
