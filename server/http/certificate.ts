import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import selfsigned from 'selfsigned';

interface Certificate {
  key: string;
  cert: string;
}

const validDays = 365;

/**
 * Returns a self-signed certificate for this machine. It is kept in DATA_DIR, so that a phone needs to trust it only once.
 * @param address address of this machine on the local network
 */
export async function certificateFor(dataDir: string, address: string | null): Promise<Certificate> {
  const path = join(dataDir, 'certificate.pem');
  const kept = await readFile(path, 'utf8').catch(() => null);
  if (kept && isGoodFor(kept, address)) return { key: kept, cert: kept };
  const notAfterDate = new Date(Date.now() + validDays * 24 * 60 * 60_000);
  const made = await selfsigned.generate([{ name: 'commonName', value: 'Parley' }], {
    keyType: 'ec',
    notAfterDate,
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
          ...(address ? [{ type: 7 as const, ip: address }] : []),
        ],
      },
    ],
  });
  await writeFile(path, `${made.private}\n${made.cert}\n`, { mode: 0o600 });
  return { key: made.private, cert: made.cert };
}

function isGoodFor(pem: string, address: string | null): boolean {
  const certificate = read(pem);
  if (!certificate) return false;
  const isCurrent = new Date(certificate.validTo).getTime() > Date.now() + 24 * 60 * 60_000;
  return isCurrent && (!address || certificate.checkIP(address) !== undefined);
}

/** Returns null if the file does not hold both a certificate and its key, for example after an interrupted write. */
function read(pem: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(pem);
    return certificate.checkPrivateKey(createPrivateKey(pem)) ? certificate : null;
  } catch {
    return null;
  }
}
