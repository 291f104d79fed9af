/** The title of a problem and what to do next. */
export type Explanation = readonly [title: string, advice: string];

/**
 * Explanations of errors, by the reason of a ParleyError, by its code, or by a name for what the browser or wallet reports. `{message}` is
 * replaced by the error's message, `{seconds}` by the time to wait.
 */
export const problems: Record<string, Explanation> = {
  // By code.
  NETWORK_ERROR: ['The server did not respond', 'Check your internet connection and try again.'],
  SERVICE_UNAVAILABLE: ['The server is not ready', 'Wait a moment, then try again.'],
  RATE_LIMIT_EXCEEDED: ['Too many requests', 'Try again in {seconds}.'],
  INVALID_ADDRESS: [
    'Invalid wallet address',
    'An address is 0x followed by 40 digits. Copy the whole address again.',
  ],
  AUTHENTICATION_REQUIRED: ['You are no longer signed in', 'Sign in again to continue.'],
  ACCESS_DENIED: ['You do not have access', '{message}'],
  MISSING_SCOPE: ['You do not have access', '{message}'],
  NOT_FOUND: ['Not found', '{message}'],
  CONFLICT: ['This is not possible now', '{message}'],
  INSUFFICIENT_BALANCE: ['Not enough credits', '{message}'],
  VALIDATION_ERROR: ['The server rejected the request', '{message}'],
  ROOM_FULL: ['The server rejected the request', '{message}'],
  INTERNAL: [
    'Server error',
    'Try again. The operator finds the details in the server’s log by the request ID below.',
  ],
  // By reason.
  session_required: ['This needs a new session', 'Sign out and sign in again on this page.'],
  // By what failed on this device.
  insecure_page: [
    'Camera and microphone are not available',
    'Browsers allow them only on https and localhost. Start the server with “npm start -- --https” and open the https address.',
  ],
  device_blocked: [
    'The camera or microphone is blocked',
    'Click the camera or lock icon next to the address bar, allow both for this page and try again.',
  ],
  device_blocked_in_frame: [
    'The camera or microphone is blocked',
    'Click the camera or lock icon next to the address bar, allow both for this page and try again. If the browser did not ask, the website must allow them: <iframe allow="camera; microphone">.',
  ],
  blocked_by_page: [
    'This website allows no camera, microphone or screen',
    'Tell its author to allow them: <iframe allow="camera; microphone; display-capture">, and the same in a header Permissions-Policy.',
  ],
  no_device: ['No camera or microphone found', 'Connect a device and try again, or call without video.'],
  device_in_use: [
    'The camera or microphone is in use',
    'Close the other program that uses it and try again.',
  ],
  no_webrtc: [
    'This browser cannot make calls',
    'It has no WebRTC, or a setting, an extension or a lockdown mode blocks it. Allow it, or use another browser.',
  ],
  screen_blocked: ['The screen is not shared', '{message}'],
  sign_in_failed: ['Sign-in failed', '{message}'],
  wallet_rejected: ['Your wallet did not sign', 'Sign in again and confirm the message. It is free.'],
  wallet_pending: [
    'Your wallet is waiting for you',
    'Open the wallet, answer its request and sign in again.',
  ],
  wallet_failed: ['Your wallet did not sign', 'It reports: {message} Sign in again.'],
  unknown: ['Something went wrong', '{message} Reload the page if this happens again.'],
};
