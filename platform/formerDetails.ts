import type { ErrorDetail, ParleyError } from '../sdk/protocol/errors.ts';

/** The paths that releases before 0.1.0 gave with each of these reasons. */
const paths: Record<string, string[]> = {
  roomId: [
    ...['audio_off', 'chat_off', 'codec_off', 'not_a_host', 'other_network', 'removed', 'room_ended'],
    ...['room_full', 'room_locked', 'screen_share_off', 'video_off', 'viewer'],
  ],
  streamId: [
    ...['banned', 'not_the_host', 'not_the_publisher', 'not_watching', 'not_yours', 'stream_ended'],
    'replaced',
  ],
  token: ['token_needed', 'token_void'],
};

/**
 * The reason as a detail, and the unmet conditions of a gate as details: releases before 0.1.0 had them only there, and their SDKs
 * need them.
 */
export function formerDetails({ reason, message, extra }: ParleyError): ErrorDetail[] | undefined {
  if (reason === 'requirement_missing') {
    const unmet = extra?.['missingRequirements'] as string[];
    return unmet.map((requirement) => ({ path: 'gate', code: reason, message: requirement }));
  }
  const [path] = Object.entries(paths).find(([, reasons]) => reasons.includes(reason)) ?? [];
  return path === undefined ? undefined : [{ path, code: reason, message }];
}
