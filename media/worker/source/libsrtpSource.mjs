/** The release of libsrtp that the worker contains, as Debian 12 and Ubuntu 24.04 publish its source. */
export const libsrtpSource = {
  file: 'libsrtp2_2.5.0.orig.tar.gz',
  sha256: '8a43ef8e9ae2b665292591af62aa1a4ae41e468b6d98d8258f91478735da4e09',
  /** The folder in the archive. */
  folder: 'libsrtp-2.5.0',
};
