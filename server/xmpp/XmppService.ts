export type XmppService = object;
