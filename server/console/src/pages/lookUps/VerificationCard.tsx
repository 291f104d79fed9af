import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { NewVerification, StartedVerification } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSpend } from '../../data/useSpend.ts';
import { parsePhoneNumber, formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { QuestionForm } from './QuestionForm.tsx';

/** Sends a verification code and checks it. */
export function VerificationCard() {
  const [started, setStarted] = useState<StartedVerification | null>(null);
  return (
    <Section
      title="Phone verification"
      hint="Send a code to prove that a person has access to a phone number. Each code costs 5 credits."
    >
      {started ? (
        <CheckForm verification={started} onAgain={() => setStarted(null)} />
      ) : (
        <StartForm onStarted={setStarted} />
      )}
    </Section>
  );
}

function StartForm({ onStarted }: { onStarted: (started: StartedVerification | null) => void }) {
  const { verifications } = useSignedIn().client;
  const [typed, setTyped] = useState('');
  const { run, isRunning, problem } = useSpend((options, wanted: NewVerification) =>
    verifications.start(wanted, options),
  );
  const to = parsePhoneNumber(typed);
  return (
    <QuestionForm
      field={
        <TextInput
          label="Phone number"
          type="tel"
          placeholder="+1 202 555 0143"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-testid="verify-to"
        />
      }
      action="Send code"
      isReady={to !== null}
      isRunning={isRunning}
      problem={problem}
      onAsk={() => to && void run({ to }).then(onStarted)}
      testId="verify"
    >
      {null}
    </QuestionForm>
  );
}

function CheckForm({ verification, onAgain }: { verification: StartedVerification; onAgain: () => void }) {
  const { verifications } = useSignedIn().client;
  const [code, setCode] = useState('');
  const [said, setSaid] = useState<{ valid: boolean; left: number } | null>(null);
  const { run, isRunning, problem } = useAction(() => verifications.check({ id: verification.id, code }));
  const check = async () => {
    const checked = await run();
    setSaid(checked && { valid: checked.valid, left: checked.attemptsRemaining });
  };
  return (
    <Stack gap="sm">
      <Text size="sm">A code was sent to {formatPhoneNumber(verification.to)}.</Text>
      <QuestionForm
        field={
          <TextInput
            label="Code"
            inputMode="numeric"
            maxLength={8}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value.replace(/\D/g, ''))}
            autoComplete="one-time-code"
            autoFocus
            data-testid="verify-code"
          />
        }
        action="Check code"
        isReady={code.length >= 4 && !said?.valid}
        isRunning={isRunning}
        problem={problem}
        onAsk={() => void check()}
        testId="check"
      >
        {said && (
          <Text fw={600} data-testid="verify-answer" data-valid={said.valid}>
            {said.valid
              ? 'Correct. The phone number is verified.'
              : `Wrong code. ${counted(said.left, 'attempt')} left.`}
          </Text>
        )}
      </QuestionForm>
      <Button variant="subtle" size="compact-md" w="fit-content" onClick={onAgain}>
        Verify another number
      </Button>
    </Stack>
  );
}
