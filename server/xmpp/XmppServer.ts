/** The port to a server that keeps XMPP accounts (ejabberd). */
export interface XmppServer {
  /**
   * @returns false if the name is taken
   * @throws if the account was certainly not created, or if it is unknown whether it was
   */
  register(account: XmppCredentials): Promise<boolean>;
  /** Whether an account with this password exists. */
  hasPassword(account: XmppCredentials): Promise<boolean>;
  unregister(account: Pick<XmppCredentials, 'username'>): Promise<void>;
}

export interface XmppCredentials {
  username: string;
  password: string;
}
