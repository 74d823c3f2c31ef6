const link = /(?:https?:\/\/|www\.)[^\s<>"']*[^\s<>"'.,;:!?)]/g;

export default {
  each:
    ({ mark }) =>
    (sample) => {
      const text = sample.text.replace(link, () => mark);
      return text === sample.text ? sample : { text };
    },
};
