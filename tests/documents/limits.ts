/** Share of the words of a document that has to come out. */
export const leastKept = 0.98;
