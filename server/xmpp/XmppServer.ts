/** Whoever keeps XMPP accounts: the port (ejabberd). */
export interface XmppServer {
  /** @returns false where the name is taken @throws when nobody knows whether it was made, or it certainly was not */
  register(account: XmppCredentials): Promise<boolean>;
  /** Whether there is such an account with this password. */
  hasPassword(account: XmppCredentials): Promise<boolean>;
  unregister(account: Pick<XmppCredentials, 'username'>): Promise<void>;
}

export interface XmppCredentials {
  username: string;
  password: string;
}
