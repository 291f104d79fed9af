/** The maximum length of a chat message, in characters. */
export const longestMessage = 500;
