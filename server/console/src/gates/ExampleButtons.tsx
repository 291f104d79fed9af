import { Button } from '@mantine/core';
import type { GateChain, GateConfig } from '@parley/sdk';
import { useAction } from '../data/useAction.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';

interface Props {
  gate: GateConfig;
  chains: GateChain[];
  /** Called when the wallet has got what it lacked. */
  onGot: () => Promise<void>;
}

/** On a server with a demo chain, buttons that give this wallet what the gate asks for. */
export function ExampleButtons({ gate, chains, onGot }: Props) {
  const { client } = useSignedIn();
  const { run, isRunning } = useAction(async (chainId: number, contractAddress: string) => {
    await client.gatedRooms.getExample(chainId, contractAddress);
    await onGot();
  });
  const wanted = contractsOf(gate);
  return chains.flatMap(({ chainId, examples = [] }) =>
    examples
      .filter(({ contractAddress }) => wanted.includes(`${chainId} ${contractAddress}`))
      .map(({ name, contractAddress }) => (
        <Button
          key={contractAddress}
          mt="sm"
          ml="xs"
          size="compact-md"
          fz="sm"
          loading={isRunning}
          onClick={() => void run(chainId, contractAddress)}
          data-testid="get-example"
        >
          {`Get ${name}`}
        </Button>
      )),
  );
}

const contractsOf = (gate: GateConfig): string[] =>
  gate.type === 'multi' ? gate.conditions.flatMap(contractsOf) : [`${gate.chainId} ${gate.contractAddress}`];
