/** Added to a callback URL: makes Twilio retry, which it does not do by default. Twilio does not send or sign this part. */
export const retried = '#rc=5&rp=all';
