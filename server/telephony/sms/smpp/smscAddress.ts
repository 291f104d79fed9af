export interface SmscAddress {
  host: string;
  port: number;
  isSecure: boolean;
  systemId: string;
  password: string;
  systemType: string;
  /** Who signed its certificate, in PEM, where that is nobody the system knows. */
  ca?: string | undefined;
}

/** @param url `smpp://user:password@host:port`, smpps:// for TLS; readConfig has checked it */
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
