import { createServer } from 'node:net';
import { createWalletClient, getAddress, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { Config } from '../../config/config.ts';
import { onChain } from '../../../sdk/protocol/address.ts';
import { rpcTransport } from '../../outgoing/rpcTransport.ts';
import { runAnvil, type RunningAnvil } from './runAnvil.ts';
import type { GateExamples } from '../../../signaling/gates/GateExamples.ts';
import { deployDemoNft, mintDemoNft } from './demoNft.ts';
import { deployTestDollar, mintTestDollars, type Funded } from './testDollar.ts';

type Settings = Pick<
  Config,
  'CHAINS_TESTNET' | 'X402_PAY_TO' | 'X402_NETWORKS' | 'X402_SETTLER_KEY' | 'X402_FACILITATOR_URL'
>;

const chainId = 31_337;
const usualPort = 8_545;
const thousandDollars = 1_000_000_000n;
const hundredDollars = 100_000_000n;

/**
 * Implements `--demo-chain`: a local EVM chain with a test dollar, on which the server accepts payments per request, and an NFT for trying
 * gates. The keys are anvil's public test keys, and the money is worth nothing.
 */
export class DemoChain {
  readonly #anvil: RunningAnvil;
  readonly #settings: Omit<Settings, 'CHAINS_TESTNET'>;
  /** The contracts with which gates can be tried. */
  readonly examples: GateExamples;
  /** The text to print in the terminal after the start. */
  readonly greeting: string;

  static async start(): Promise<DemoChain> {
    const run = async () => runAnvil({ port: await freePort(), chainId });
    // Tries once more, because another program may have taken the port before anvil did.
    const anvil = await run().catch(run);
    try {
      const operator = anvilAccount(0);
      const settler = anvilAccount(1);
      const payTo = anvilAccount(2);
      const payer = anvilAccount(3);
      const transport = rpcTransport(anvil.url);
      const funded: Funded = createWalletClient({
        account: operator.account,
        ccipRead: false,
        transport,
      });
      const token = getAddress(await deployTestDollar(anvil.client, funded));
      await mintTestDollars(anvil.client, funded, {
        token,
        to: payer.account.address,
        value: thousandDollars,
      });
      const nft = getAddress(await deployDemoNft(anvil.client, funded));
      // One after another, because the transactions of one account are numbered.
      let issuing: Promise<void> = Promise.resolve();
      const examples: GateExamples = {
        chainId,
        contracts: [
          { name: 'Demo NFT', type: 'nft', contractAddress: nft },
          { name: 'Test Dollar', type: 'token', contractAddress: token },
        ],
        issue(contract, to) {
          const issued = issuing.then(() =>
            contract === nft
              ? mintDemoNft(anvil.client, funded, { nft, to: onChain(to).address })
              : mintTestDollars(anvil.client, funded, {
                  token,
                  to: onChain(to).address,
                  value: hundredDollars,
                }),
          );
          issuing = issued.catch(() => undefined);
          return issued;
        },
      };
      const settings = {
        X402_PAY_TO: payTo.account.address,
        X402_NETWORKS: [{ network: `eip155:${chainId}` as const, chainId, token }],
        X402_SETTLER_KEY: settler.key,
        X402_FACILITATOR_URL: undefined,
      };
      const greeting = `  Requests can be paid for on a test chain (docs/guides/backend-developer.md):
  chain ${chainId} at ${anvil.url}, test dollars at ${token}
  private key of a wallet with 1,000 of them: ${payer.key}
  Rooms and streams can have a gate on this chain: the console offers the demo NFT at ${nft}

`;
      return new DemoChain(anvil, settings, { examples, greeting });
    } catch (error) {
      anvil.stop();
      throw error;
    }
  }

  private constructor(
    anvil: RunningAnvil,
    settings: Omit<Settings, 'CHAINS_TESTNET'>,
    { examples, greeting }: Pick<DemoChain, 'examples' | 'greeting'>,
  ) {
    this.examples = examples;
    this.#anvil = anvil;
    this.#settings = settings;
    this.greeting = greeting;
  }

  /** Adds this chain to the configuration. */
  configure(config: Config): Config {
    const others = config.CHAINS_TESTNET.filter((chain) => chain.chainId !== chainId);
    return { ...config, ...this.#settings, CHAINS_TESTNET: [...others, { chainId, url: this.#anvil.url }] };
  }

  close(): void {
    this.#anvil.stop();
  }
}

/** One of anvil's built-in accounts. */
export function anvilAccount(addressIndex: number) {
  const mnemonic = 'test test test test test test test test test test test junk';
  const account = mnemonicToAccount(mnemonic, { addressIndex });
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error('an account of a mnemonic has no private key');
  return { account, key: toHex(privateKey) };
}

async function freePort(): Promise<number> {
  return (await canListen(usualPort)) ?? (await canListen(0)) ?? usualPort;
}

function canListen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(null))
      .listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
      });
  });
}
