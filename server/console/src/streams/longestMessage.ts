/** Characters of a message beside a stream. */
export const longestMessage = 500;
