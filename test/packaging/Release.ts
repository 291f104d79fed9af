import { fileURLToPath } from 'node:url';
import type { Parley } from '../../sdk/src/index.ts';
import { api, newKey } from '../integration/money/accountSupport.ts';
import { bearer, newWallet, signIn } from '../integration/support.ts';

/** The dumps of releases, and what users saw in them: `<name>.sql` and `<name>.json`. */
export const releasesFolder = fileURLToPath(new URL('releases', import.meta.url));

/** Made for these databases only. */
export const SECRET_KEY = '5d1c0a9b7e3f42688642f3e7b9a0c1d5';

/** What a person and the backend of an account see. A newer release may add fields, but changes none. */
export interface Seen {
  account: object;
  history: unknown;
  activationCodes: string[];
  messages: object[];
  calls: object[];
  room: object;
}

export interface Release {
  apiKey: string;
  /** The refresh token of a session of the same person. */
  refreshToken: string;
  /** The person with whom there are messages and calls. */
  peer: string;
  roomId: string;
  seen: Seen;
}

/**
 * Uses a server of a release as its users do, and reads the result.
 * @param Sdk the SDK of that release
 */
export async function makeRelease(url: string, Sdk: typeof Parley): Promise<Release> {
  const [ada, bob] = [0, 1].map(() => new Sdk({ apiKey: '', baseUrl: url })) as [Parley, Parley];
  try {
    const account = newWallet();
    await ada.signIn(account);
    await bob.signIn(newWallet());
    const [own = '', peer = ''] = [ada.session?.walletAddress, bob.session?.walletAddress];
    const dashboard = bearer((await signIn(url, account, { audience: 'dashboard' })).token);
    const { secret: apiKey } = await newKey(
      url,
      { wallet: own, dashboard, app: {} },
      { scopes: ['account:read', 'esim:order'] },
    );
    await ada.messages.send({ to: peer, type: 'text', content: 'Are you there?' });
    await bob.messages.send({ to: own, type: 'text', content: 'Yes, always.' });
    const ended = new Promise((resolve) => ada.on('call:ended', resolve));
    const answered = new Promise((resolve, reject) => {
      bob.on('call:incoming', ({ id }) => void bob.calls.answer(id).then(resolve, reject));
    });
    const call = await ada.calls.start({ to: peer, type: 'audio' });
    await answered;
    await bob.calls.end(call.id);
    await ended;
    const { id: roomId } = await ada.conference.create({ name: 'Weekly', maxParticipants: 5 });
    const order = { packageId: 'eu-1gb', quantity: 1 };
    const bought = await api(url, 'POST', '/esim/checkout', bearer(apiKey), order);
    if (bought.status !== 201) throw new Error(bought.text);
    const release = { apiKey, refreshToken: ada.session?.refreshToken ?? '', peer, roomId };
    return { ...release, seen: await see(ada, url, release) };
  } finally {
    ada.close();
    bob.close();
  }
}

/** @param person a client that is signed in */
export async function see(person: Parley, url: string, release: Omit<Release, 'seen'>): Promise<Seen> {
  const read = async (path: string) => (await api(url, 'GET', path, bearer(release.apiKey))).body;
  const { data: orders } = (await read('/esim/orders')) as {
    data: { esims: { activationCode: string }[] }[];
  };
  const seen = {
    account: await read('/account'),
    history: (await read('/account/history')).data,
    // These are sealed with SECRET_KEY. The other fields have links that expire.
    activationCodes: orders.flatMap(({ esims }) => esims.map(({ activationCode }) => activationCode)),
    messages: await person.messages.getMessages({ with: release.peer }),
    calls: await person.calls.getHistory(),
    room: await person.conference.get(release.roomId),
  };
  // As in the file: times are texts, and links do not depend on the port of the test.
  return JSON.parse(JSON.stringify(seen).replaceAll(url, 'https://calls.example.org')) as Seen;
}
