export const cleaning = {
  title: 'cleaning',
};
