/**
 * Changes to mediasoup's own source, each a line that must occur exactly once: if a new release has changed it, the build stops
 * with a clear error instead of making a worker that fails later.
 */
export const patches = [
  {
    // The BIO callback answers 1 to every control call, kernel-TLS queries included. mediasoup's own OpenSSL is built without
    // kernel TLS; a distribution's is built with it, takes the answer for a yes, allocates no write buffer, and the worker
    // dies with SIGSEGV at the first DTLS ClientHello. OpenSSL sets the BIO_CB_RETURN bit together with the operation's own,
    // and whenever it is set the callback must hand back the value it was given.
    file: 'src/RTC/DtlsTransport.cpp',
    from: 'const long resultOfcallback = (operationType == BIO_CB_RETURN) ? static_cast<long>(ret) : 1;',
    to: 'const long resultOfcallback = ((operationType & BIO_CB_RETURN) != 0) ? static_cast<long>(ret) : 1;',
  },
];
