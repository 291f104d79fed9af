import { CopyField } from '@parley/react';
import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { EsimOrder } from '@parley/sdk';
import classes from './Esims.module.css';

type Esim = EsimOrder['esims'][number];

/** The data to install eSIMs: for each one a QR code for the phone's camera, and the same data as text. */
export function EsimCodes({ esims }: { esims: Esim[] }) {
  return (
    <Stack gap="lg">
      {esims.map((esim, index) => (
        <EsimCode key={esim.iccid} esim={esim} name={esims.length > 1 ? `eSIM ${index + 1}` : 'eSIM'} />
      ))}
    </Stack>
  );
}

function EsimCode({ esim, name }: { esim: Esim; name: string }) {
  const { iccid, activationCode, qrCodeUrl, appleInstallUrl } = esim;
  return (
    <Group gap="1rem 1.25rem" align="stretch" data-testid="esim" data-code={activationCode}>
      {qrCodeUrl && (
        <img
          className={classes['qrCode']}
          src={fromHere(qrCodeUrl)}
          alt={`QR code of the ${name}. Scan it in the phone’s settings: Mobile data, Add eSIM`}
          width={180}
          height={180}
          data-testid="esim-qr"
        />
      )}
      <Stack gap="sm" flex="1 1 14rem" miw={0}>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          Scan it with the phone’s camera, or enter the code under “Add eSIM” in the phone’s settings. It can
          be installed only once, so keep it private.
        </Text>
        <CopyField label="Activation code" value={activationCode} data-testid="activation-code" />
        <Text size="sm" c="dimmed">
          ICCID {iccid}
        </Text>
        {appleInstallUrl && (
          <Anchor size="sm" href={appleInstallUrl} target="_blank" rel="noreferrer">
            Install on this iPhone
          </Anchor>
        )}
      </Stack>
    </Group>
  );
}

/** Removes the origin from a URL of this server, because this page may have been loaded by another of the server's names. */
function fromHere(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
