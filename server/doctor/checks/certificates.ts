import { isIP } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';
import { parseTurnUrl } from '../TurnClient.ts';

const limitMs = 8_000;
const dayMs = 24 * 60 * 60_000;
const soonDays = 14;

/** The certificates of PUBLIC_URL and of TURN over TLS: their dates, names and chains. */
export async function checkCertificates(
  { publicUrl, server, turn, config }: Examined,
  found: Findings,
): Promise<void> {
  const { protocol, hostname, port } = new URL(publicUrl);
  const places = [
    ...(protocol === 'https:' && server
      ? [
          {
            host: hostname.replace(/^\[|\]$/g, ''),
            port: Number(port || 443),
            change: 'certificate of PUBLIC_URL',
          },
        ]
      : []),
    ...turn.urls
      .filter((url) => url.startsWith('turns:') && server)
      .map((url) => ({
        ...parseTurnUrl(url),
        change: config.TURN === 'auto' ? 'TURN_CERT_FILE' : 'TURN_URLS',
      })),
  ];
  await Promise.all(places.map((place) => checkCertificate(place, found, config.https)));
}

async function checkCertificate(
  { host, port, change }: { host: string; port: number; change: string },
  found: Findings,
  isSelfSigned: boolean,
): Promise<void> {
  const where = `${host}:${port}`;
  try {
    const { certificate, problem } = await readCertificate(host, port);
    const endsAt = new Date(certificate.valid_to);
    const days = Math.floor((endsAt.getTime() - Date.now()) / dayMs);
    const wrongName = checkServerIdentity(host, certificate);
    if (days < 0)
      return found.error(
        change,
        `The certificate at ${where} expired on ${endsAt.toISOString().slice(0, 10)}. Renew it`,
      );
    if (new Date(certificate.valid_from).getTime() > Date.now())
      return found.error(
        change,
        `The certificate at ${where} is not valid yet. Check the clock of this machine`,
      );
    if (wrongName)
      found.error(
        change,
        `The certificate at ${where} is for another name (${certificate.subjectaltname ?? 'none'}). Get one for ${host}`,
      );
    else if (isSelfSigned)
      found.warning('--https', `The certificate at ${where} is self-signed, for trials on a local network`);
    else if (problem)
      found.error(
        change,
        `Browsers do not trust the certificate at ${where} (${problem}). Serve it with its whole chain (fullchain.pem)`,
      );
    else if (days < soonDays)
      found.warning(change, `The certificate at ${where} expires in ${days} days. Check its renewal`);
    else found.ok(`The certificate at ${where} is valid for ${days} days.`);
  } catch (error) {
    found.error(change, `${where} does not accept TLS (${(error as Error).message})`);
  }
}

function readCertificate(host: string, port: number) {
  return new Promise<{
    certificate: ReturnType<ReturnType<typeof connect>['getPeerCertificate']>;
    problem: string | null;
  }>((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, rejectUnauthorized: false, timeout: limitMs }, () => {
      const problem = socket.authorized ? null : String(socket.authorizationError);
      resolve({ certificate: socket.getPeerCertificate(), problem });
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}
