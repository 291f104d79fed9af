import { Avatar, Name, parseCallee, useCall, useWords } from '@parley/react';
import { Button, Flex, Group, TextInput } from '@mantine/core';
import { IconPhone, IconVideo } from '@tabler/icons-react';
import type { CallType } from '@parley/sdk';
import { useState, type FormEvent } from 'react';
import { useRoute } from 'wouter';
import { useCalleeLookUp } from '../../calls/useCalleeLookUp.ts';
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
  const words = useWords();
  const { problem, start, dismiss } = useCall();
  const [text, setText] = useState(linked);
  const callee = parseCallee(text, { origin: location.origin, address: own });
  const [refused, setRefused] = useState(linked === '' ? null : (callee.problem ?? null));
  const linkedAddress = text === linked ? callee.address : undefined;
  const rejected = problem?.problem.code === 'INVALID_ADDRESS' ? problem.problem.advice : null;
  const { find, isFinding, giveUp } = useCalleeLookUp();
  const call = (type: CallType) => async (event: FormEvent) => {
    event.preventDefault();
    const found = await find(text, words);
    if (!found) return;
    setRefused(found.problem ?? null);
    if (found.address) await start(found.address, type);
  };
  return (
    <Flex
      className="parley-card"
      component="form"
      direction="column"
      gap="md"
      onSubmit={(event) => void call('video')(event)}
      noValidate
    >
      <Heading callee={linkedAddress} />
      <TextInput
        label="Wallet address, ENS name or call link"
        placeholder="0x… or https://…/call/0x…"
        size="md"
        labelProps={{ mb: 6 }}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setRefused(null);
          giveUp();
          if (problem) dismiss();
        }}
        error={rejected ?? refused}
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
          loading={isFinding}
          data-testid="start-video"
        >
          Video call
        </Button>
        <Button
          size="md"
          px="xs"
          variant="light"
          leftSection={<IconPhone size={20} />}
          onClick={(event) => void call('audio')(event)}
          loading={isFinding}
          data-testid="start-audio"
        >
          Audio call
        </Button>
      </div>
    </Flex>
  );
}

function Heading({ callee }: { callee: string | undefined }) {
  if (!callee) return <h1 className={classes['heading']}>New call</h1>;
  return (
    <Group gap="0.875rem" wrap="nowrap" miw={0}>
      <Avatar address={callee} size={48} />
      <h1 className={classes['heading']}>
        Call <Name address={callee} />
      </h1>
    </Group>
  );
}
