export const auth = {
  signIn: {
    title: 'Sign in',
    lead: 'Prepare data for machine learning: collect, clean and search it.',
    username: 'Username',
    password: 'Password',
    submit: 'Sign in',
    firstStart: 'First start? The service printed the password for “admin” when it started.',
    wrong: 'Wrong username or password.',
    throttled: 'Too many failed attempts. Try again in {{minutes}} min.',
    required: 'Required',
  },
  expired: {
    title: 'Please sign in again',
    lead: 'Your session has ended. What you typed is kept, and this page continues after you sign in.',
    other: 'Sign in as someone else',
  },
};
