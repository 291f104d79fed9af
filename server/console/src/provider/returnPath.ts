/** The redirect URI's path, registered at the provider. In its own file, so that the sign-in page does not load the OAuth library. */
export const returnPath = '/sign-in/return';
