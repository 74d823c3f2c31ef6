import { sentencesOf } from './sentences.ts';

type Sample = { readonly text: string };

export default {
  each:
    ({ sentences: size }: { sentences: number }) =>
    (sample: Sample): Sample | Sample[] => {
      const sentences = sentencesOf(sample.text);
      if (sentences.length <= size) return sample;
      const groups: Sample[] = [];
      for (let at = 0; at < sentences.length; at += size) {
        groups.push({
          text: sentences
            .slice(at, at + size)
            .join('')
            .trim(),
        });
      }
      return groups;
    },
};
