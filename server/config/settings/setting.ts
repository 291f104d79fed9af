import type { z } from 'zod';

export interface Setting<Schema extends z.ZodType> {
  schema: Schema;
  /** The value if the variable is not set, in the syntax of the environment. */
  default?: string;
  help: string;
}

/**
 * @param help the text of `--help`
 * @param byDefault the value if the variable is not set, in the syntax of the environment
 */
export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  help: string,
  byDefault?: string,
): Setting<Schema> => ({
  schema,
  help,
  ...(byDefault === undefined ? {} : { default: byDefault }),
});
