/** Added to an address Twilio calls: by itself it tries once. It keeps this part to itself, and does not sign it. */
export const retried = '#rc=5&rp=all';
