import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

const always = () => true;

/** Whether the browser can do something; false while rendering on a server. @param check must be a constant */
export const useSupport = (check: () => boolean): boolean => useSyncExternalStore(never, check, () => false);

/**
 * Whether the browser renders; false while rendering on a server, and while a browser takes over its HTML. A server does not know what
 * depends on the user's language, time zone and clock.
 */
export const useIsBrowser = (): boolean => useSupport(always);
