import { ParleyError } from '../../protocol/errors.ts';

const limitMs = 5_000;

/**
 * Why a server that could not be reached could not. Browsers hide the reason from a page: the server’s status, which pages of every
 * origin may read, tells it.
 * @returns ACCESS_DENIED where the server refuses this page’s origin, else NETWORK_ERROR
 */
export async function diagnose(baseUrl: string, cause?: unknown): Promise<ParleyError> {
  const answer = await fetch(`${baseUrl}/api/v1/status`, { signal: AbortSignal.timeout(limitMs) }).catch(
    () => null,
  );
  if (!answer) return unreachable(cause);
  if (answer.headers.get('X-Origin-Refused')) {
    const origin = typeof location === 'undefined' ? 'this origin' : location.origin;
    return new ParleyError(
      'ACCESS_DENIED',
      `The server at ${baseUrl} does not allow pages from ${origin}: add ${origin} to its ALLOWED_ORIGINS setting.`,
      { cause, reason: 'origin_refused' },
    );
  }
  const body = (await answer.json().catch(() => null)) as { services?: unknown } | null;
  return answer.status < 500 && !body?.services ? notParley(baseUrl, cause) : unreachable(cause);
}

export const unreachable = (cause?: unknown) =>
  new ParleyError('NETWORK_ERROR', 'The server can’t be reached: check the network and try again.', {
    cause,
  });

export const notParley = (baseUrl: string, cause?: unknown) =>
  new ParleyError(
    'NETWORK_ERROR',
    `${baseUrl} answers, but not as a Parley server: check baseUrl, and whether your network wants you to sign in first.`,
    { cause },
  );
