/** Added to a callback URL to make Twilio retry, which it does not do by default. Twilio neither sends nor signs this part. */
export const retried = '#rc=5&rp=all';
