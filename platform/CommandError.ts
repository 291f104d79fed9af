/** An error that the user of a command can correct. Its message is shown without a stack trace. */
export class CommandError extends Error {}
