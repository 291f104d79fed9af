/** Whether a server with this HOST listens on every address of its machine: of IPv4, or (`::`) of IPv4 and IPv6. */
export const isEveryAddress = (host: string | undefined): boolean => host === '0.0.0.0' || host === '::';
