import type { BrowserClient } from './browser.ts';
import type { WireQuality } from '../../../sdk/protocol/quality.ts';
import { api } from '../../integration/money/accountSupport.ts';
import { bearer, signIn } from '../../integration/support.ts';

/** What the server says was wrong with a call of this wallet. */
export async function causesOf(url: string, { account }: BrowserClient, callId: string): Promise<string[]> {
  const { token } = await signIn(url, account, { audience: 'dashboard' });
  const { body } = await api(url, 'GET', `/calls/${callId}/quality`, bearer(token));
  return (body as unknown as WireQuality).findings.map(({ cause }) => cause);
}
