import { ParleyError } from '../../protocol/errors.ts';
import { Deadline } from '../platform/abort.ts';
import type { Platform } from '../platform/Platform.ts';
import { invalid } from './guard.ts';

const limitMs = 5_000;

/**
 * Finds out why the server could not be reached. Browsers hide the reason from the page, so this function requests the server's status,
 * which pages of every origin may read.
 * @returns ACCESS_DENIED if the server does not allow this page's origin, otherwise NETWORK_ERROR
 */
export async function diagnose(baseUrl: string, platform: Platform, cause?: unknown): Promise<ParleyError> {
  const deadline = new Deadline(limitMs);
  const { signal } = deadline;
  const answer = await fetch(`${baseUrl}/api/v1/status`, { signal }).catch(() => null);
  deadline.end();
  if (!answer) return unreachable(cause);
  if (answer.headers.get('X-Origin-Refused')) {
    const origin = platform.page?.origin ?? 'this origin';
    return new ParleyError(
      'ACCESS_DENIED',
      `The server at ${baseUrl} does not allow pages from ${origin}. Add ${origin} to its ALLOWED_ORIGINS setting.`,
      { cause, reason: 'origin_refused' },
    );
  }
  const body = (await answer.json().catch(() => null)) as { services?: unknown } | null;
  return answer.status < 500 && !body?.services ? notParley(baseUrl, cause) : unreachable(cause);
}

export const unreachable = (cause?: unknown) =>
  new ParleyError('NETWORK_ERROR', 'The server cannot be reached. Check the network and try again.', {
    cause,
  });

export const notParley = (baseUrl: string, cause?: unknown) =>
  new ParleyError(
    'NETWORK_ERROR',
    `${baseUrl} did not answer as a Parley server. Check baseUrl, and whether your network requires a login.`,
    { cause },
  );

/** @throws ParleyError VALIDATION_ERROR if the app has not named its server, and there is no page whose server it could be */
export function checkBaseUrl(baseUrl: string): void {
  if (!baseUrl)
    throw invalid(
      'baseUrl',
      'The client does not know its server. Outside a browser, pass its URL: new Parley({ baseUrl }).',
    );
}
