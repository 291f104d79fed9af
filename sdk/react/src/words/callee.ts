/** What is wrong with the address of a person to call or to write to. */
export const callee = {
  empty: 'Paste a wallet address or a call link first.',
  foreign: (host: string) => `This link belongs to ${host}. Open it there.`,
  noAddress:
    'A wallet address starts with 0x. The address of a contract wallet starts with eip155:, the chain number and 0x.',
  length: (digits: number) =>
    `An address is 0x followed by 40 digits; this one has ${digits}. Copy it again.`,
  typo: 'This address has a typing error. Copy it again.',
  own: 'This is your own address. To call yourself, open the link in a private window.',
};
