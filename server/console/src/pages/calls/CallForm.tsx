import { Identicon } from '@parley/react';
import { Button, Flex, Group, TextInput } from '@mantine/core';
import { IconPhone, IconVideo } from '@tabler/icons-react';
import { shortAddress, type CallType } from '@parley/sdk';
import { useState, type FormEvent } from 'react';
import { useRoute } from 'wouter';
import { parseCallee } from '../../calls/parseCallee.ts';
import { useCalls } from '../../session/ParleyClient.tsx';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import classes from './CallsPage.module.css';

/** A form to call a wallet. If the page was opened by a call link, the address is already filled in. */
export function CallForm() {
  const [, parameters] = useRoute('/call/:callee');
  // Opening another call link resets the form.
  return <Form key={parameters?.callee ?? ''} linked={parameters?.callee ?? ''} />;
}

function Form({ linked }: { linked: string }) {
  const own = useOwnAddress();
  const { calls, controller } = useCalls();
  const [text, setText] = useState(linked);
  const [wasTried, setWasTried] = useState(linked !== '');
  const callee = parseCallee(text, { origin: location.origin, address: own });
  const linkedAddress = text === linked ? callee.address : undefined;
  const refused = calls.problem?.problem.code === 'INVALID_ADDRESS' ? calls.problem.problem.advice : null;
  const call = (type: CallType) => (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (callee.address) void controller.start(callee.address, type);
  };
  return (
    <Flex
      className="parley-card"
      component="form"
      direction="column"
      gap="md"
      onSubmit={call('video')}
      noValidate
    >
      <Heading callee={linkedAddress} />
      <TextInput
        label="Wallet address or call link"
        placeholder="0x… or https://…/call/0x…"
        size="md"
        labelProps={{ mb: 6 }}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setWasTried(false);
          if (calls.problem) controller.dismiss();
        }}
        error={refused ?? (wasTried && callee.problem)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-testid="callee"
      />
      <div className={classes['actions']}>
        <Button
          type="submit"
          size="md"
          px="xs"
          leftSection={<IconVideo size={20} />}
          data-testid="start-video"
        >
          Video call
        </Button>
        <Button
          size="md"
          px="xs"
          variant="light"
          leftSection={<IconPhone size={20} />}
          onClick={call('audio')}
          data-testid="start-audio"
        >
          Audio call
        </Button>
      </div>
    </Flex>
  );
}

function Heading({ callee }: { callee: string | undefined }) {
  if (!callee) return <h1 className={classes['heading']}>Call someone</h1>;
  return (
    <Group gap="0.875rem" wrap="nowrap" miw={0}>
      <Identicon address={callee} size={48} />
      <h1 className={classes['heading']}>Call {shortAddress(callee)}</h1>
    </Group>
  );
}
