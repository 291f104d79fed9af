import { Button, FileButton, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Profile } from '@parley/sdk';
import { IconPhoto, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { AvatarImage, ProblemAlert } from '@parley/react';
import { Section } from '../../ui/Section.tsx';

/** The name and picture of the wallet. */
export function ProfileCard() {
  const { queries } = useSignedIn();
  const profile = useLoaded(queries.profile);
  return (
    <Section
      title="Name and picture"
      hint="People you call, answer, write to or save as contacts see them, and people in a room with you. Strangers and blocked wallets do not."
      testId="profile"
    >
      <LoadedValue of={profile} what="your profile" rowHeight={150}>
        {(value) => <ProfileForm profile={value} />}
      </LoadedValue>
    </Section>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const { client } = useSignedIn();
  const [name, setName] = useState(profile.name ?? '');
  /** The chosen picture and an address to show it; null to remove the current one, undefined to keep it. */
  const [picture, setPicture] = useState<{ file: File; url: string } | null | undefined>(undefined);
  /** The name as it was saved; null if nothing was saved yet. */
  const [savedName, setSavedName] = useState<string | null>(null);
  useEffect(() => () => URL.revokeObjectURL(picture?.url ?? ''), [picture]);
  const url = picture === undefined ? profile.avatarUrl : (picture?.url ?? null);
  const empty = useRef<() => void>(null);
  const choose = (file: File | null) => {
    setPicture(file && { file, url: URL.createObjectURL(file) });
    // A browser reports a choice only if it differs from the last one, so the same file could not be chosen again after its removal.
    empty.current?.();
  };
  const save = useAction(
    async () => {
      const avatarId = picture ? (await client.media.upload(picture.file)).id : picture;
      const entered = name.trim() || null;
      // A name that the user has not changed here may have been changed in another window meanwhile.
      const isNew = entered !== profile.name || avatarId === undefined;
      return client.people.setProfile({
        ...(isNew && { name: entered }),
        ...(avatarId !== undefined && { avatarId }),
      });
    },
    { refreshes: ['people'] },
  );
  const submit = async () => {
    if (!(await save.run())) return;
    // A picture that was chosen during the upload is still to be saved.
    setPicture((now) => (now === picture ? undefined : now));
    setSavedName(name);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      noValidate
    >
      <Stack gap="md">
        <Group gap="md">
          <AvatarImage url={url} address={profile.walletAddress} size={72} />
          <Group gap="xs">
            <FileButton onChange={(file) => file && choose(file)} accept="image/*" resetRef={empty}>
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  leftSection={<IconPhoto size={18} />}
                  data-testid="choose-picture"
                >
                  Choose picture
                </Button>
              )}
            </FileButton>
            {url !== null && (
              <Button
                variant="subtle"
                color="gray"
                leftSection={<IconTrash size={18} />}
                onClick={() => choose(null)}
                data-testid="remove-picture"
              >
                Remove picture
              </Button>
            )}
          </Group>
        </Group>
        <TextInput
          label="Name"
          description="Up to 50 characters. Rooms show it unless you enter another name there."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={50}
          autoComplete="name"
          data-testid="profile-name"
        />
        {save.problem && <ProblemAlert problem={save.problem} />}
        <Group>
          <Button type="submit" loading={save.isRunning} data-testid="save-profile">
            Save
          </Button>
          <Text size="sm" c="dimmed" role="status" data-testid="profile-saved">
            {savedName === name && picture === undefined && 'Saved.'}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
