export const operators = {
  title: 'operators',
};
