/** Where the provider sends people back to: registered there. Apart, so that the page before needs nothing of OAuth. */
export const returnPath = '/sign-in/return';
