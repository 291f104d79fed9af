import { until } from '../until.ts';

/** Fetches a stream's file as players do, and repeats the request while the stream has no media yet (503). */
export const fetchWhenReady = (url: string, init: RequestInit = {}): Promise<Response> =>
  until(async () => {
    const response = await fetch(url, init);
    if (response.status !== 503) return response;
    await response.body?.cancel();
    return null;
  }, 'media to play');
