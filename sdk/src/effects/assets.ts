import { ParleyError } from '../../protocol/errors.ts';

/** Where an effect finds its files. */
export interface EffectAssets {
  /** The folder of the files that the server serves as `/sdk/effects/`. @default that of the client's server, or of this page's */
  assetsUrl?: string;
}

export interface EffectContext {
  serverUrl: string;
}

/** The address of the folder, with a slash at the end. */
export function folderOf({ assetsUrl }: EffectAssets, context?: EffectContext): string {
  const folder = assetsUrl ?? `${context?.serverUrl ?? location.origin}/sdk/effects/`;
  return new URL(folder.replace(/\/*$/, '/'), location.href).href;
}

const limitMs = 20_000;

/** @throws ParleyError SERVICE_UNAVAILABLE if the promise takes too long or rejects */
export async function loaded<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not ready after ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ParleyError('SERVICE_UNAVAILABLE', `${what} could not be loaded: ${reason}.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
