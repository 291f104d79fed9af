import { until } from './until.ts';

/** As players do: where there is nothing of a stream yet, they ask again. */
export const fetchOnceThere = (url: string, init: RequestInit = {}): Promise<Response> =>
  until(async () => {
    const response = await fetch(url, init);
    if (response.status !== 503) return response;
    await response.body?.cancel();
    return null;
  }, 'something to play');
