export interface SmscAddress {
  host: string;
  port: number;
  isSecure: boolean;
  systemId: string;
  password: string;
  systemType: string;
  /** The certificate authority in PEM format, if the operating system does not know it. */
  ca?: string | undefined;
}

/** @param url `smpp://user:password@host:port`, or smpps:// for TLS; readConfig has validated it */
export function smscAddress(url: string, systemType: string, ca?: string): SmscAddress {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol !== 'smpp:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 3550 : 2775),
    isSecure,
    systemId: decodeURIComponent(username),
    password: decodeURIComponent(password),
    systemType,
    ca,
  };
}
