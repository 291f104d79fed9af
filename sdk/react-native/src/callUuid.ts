/**
 * The UUID by which the phone's call screen (CallKit, ConnectionService) knows a call. It is made of the last 16 characters of the call's
 * id, so that the native code that receives a push computes the same one.
 * @param callId the id of the call
 * @returns the UUID, in lower case
 */
export function callUuid(callId: string): string {
  const hex = [...callId.slice(-16).padStart(16, '0')].map((character) =>
    character.charCodeAt(0).toString(16).padStart(2, '0'),
  );
  return [hex.slice(0, 4), hex.slice(4, 6), hex.slice(6, 8), hex.slice(8, 10), hex.slice(10)]
    .map((part) => part.join(''))
    .join('-');
}
