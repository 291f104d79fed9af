import { ParleyError } from '../../protocol/errors.ts';

/** Converts the errors of the browser's media functions, so that the app always gets an error code. */
export async function asParleyError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    throw new ParleyError('INTERNAL', `The browser’s media failed: ${String(cause)}`, { cause });
  }
}
