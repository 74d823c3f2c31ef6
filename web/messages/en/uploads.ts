export const uploads = {
  title: 'uploads',
};
