import type { Values } from './settings.ts';
import { isEveryAddress } from './isEveryAddress.ts';
import { isReadable } from './isReadable.ts';

/** Finds settings of TURN that contradict each other or are missing. */
export function turnProblems(values: Partial<Values>, https: boolean): string[] {
  const { TURN, TURN_URLS, TURN_SECRET, TURN_TLS_PORT, TURN_CERT_FILE, TURN_KEY_FILE } = values;
  const hasUrls = (TURN_URLS?.length ?? 0) > 0;
  if (TURN !== 'auto') {
    const stray = (
      ['TURN_TLS_PORT', 'TURN_CERT_FILE', 'TURN_KEY_FILE', 'TURN_HOST', 'TURN_NAME'] as const
    ).filter((name) => values[name] !== undefined);
    return [
      ...(hasUrls && !TURN_SECRET ? ['TURN_SECRET: required by TURN_URLS'] : []),
      ...(TURN_SECRET && !hasUrls
        ? ['TURN_URLS: required by TURN_SECRET. Set the addresses of the TURN servers, or unset TURN_SECRET']
        : []),
      ...stray.map((name) => `${name}: used only with TURN=auto. Set TURN=auto, or unset it`),
    ];
  }
  const problems: string[] = [];
  if (hasUrls || TURN_SECRET)
    problems.push(
      'TURN=auto: runs a TURN server of this node, and TURN_URLS and TURN_SECRET name another one. Unset TURN_URLS and TURN_SECRET, or unset TURN',
    );
  if (Boolean(TURN_CERT_FILE) !== Boolean(TURN_KEY_FILE))
    problems.push('TURN_CERT_FILE and TURN_KEY_FILE: set both or none');
  if (TURN_TLS_PORT !== undefined && !TURN_CERT_FILE && !https)
    problems.push('TURN_CERT_FILE and TURN_KEY_FILE: required by TURN_TLS_PORT, or start with --https');
  if (TURN_TLS_PORT !== undefined && values.REDIS_URL !== undefined && !values.TURN_NAME)
    problems.push(
      'TURN_NAME: required by TURN_TLS_PORT on a node of a cluster, because PUBLIC_URL leads to all nodes. Set the name of this node, for which TURN_CERT_FILE is issued',
    );
  for (const name of ['TURN_CERT_FILE', 'TURN_KEY_FILE'] as const)
    if (values[name] !== undefined && !isReadable(values[name]))
      problems.push(`${name}: this file cannot be read`);
  return [...problems, ...portProblems(values)];
}

/** Finds ports of the TURN server that this server uses for something else. It needs UDP and TCP. */
function portProblems(values: Partial<Values>): string[] {
  const { PORT, MEDIA_PORT = 0, MEDIA_WORKERS = 0, RTMP_PORT, METRICS_PORT, CLUSTER_PORT } = values;
  const { TURN_HOST, HOST } = values;
  const hasOwnAddress =
    TURN_HOST !== undefined && TURN_HOST !== HOST && ![TURN_HOST, HOST].some(isEveryAddress);
  if (hasOwnAddress) return [];
  const isTaken = (port: number) =>
    port === PORT ||
    port === METRICS_PORT ||
    (RTMP_PORT !== 0 && port === RTMP_PORT) ||
    (values.REDIS_URL !== undefined && port === CLUSTER_PORT) ||
    (port >= MEDIA_PORT && port < MEDIA_PORT + MEDIA_WORKERS);
  const problems = (['TURN_PORT', 'TURN_TLS_PORT'] as const).flatMap((name) => {
    const port = values[name];
    return port !== undefined && isTaken(port)
      ? [`${name}: port ${port} is used by another setting of this server. Choose another port`]
      : [];
  });
  return values.TURN_TLS_PORT !== undefined && values.TURN_TLS_PORT === values.TURN_PORT
    ? [...problems, 'TURN_TLS_PORT: the same as TURN_PORT. Choose another port']
    : problems;
}
