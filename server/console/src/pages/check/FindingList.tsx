import type { MediaTestCheck, MediaTestFinding } from '@parley/sdk';
import { Loader } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import classes from './CheckPage.module.css';

const labels: Record<MediaTestCheck, string> = {
  'secure-context': 'Secure page',
  microphone: 'Microphone',
  camera: 'Camera',
  websocket: 'Server',
  udp: 'Media over UDP',
  tcp: 'Media over TCP',
  turn: 'Relay (TURN)',
  connection: 'Quality',
};

const levels = {
  ok: { icon: IconCircleCheck, name: 'Works', color: 'var(--mantine-color-green-text)' },
  warning: { icon: IconAlertTriangle, name: 'Limited', color: 'var(--mantine-color-orange-text)' },
  error: { icon: IconCircleX, name: 'Fails', color: 'var(--mantine-color-red-text)' },
};

interface Props {
  findings: MediaTestFinding[];
  /** The checks that have started and have no finding yet. */
  running: MediaTestCheck[];
}

/** What the test has found so far. */
export function FindingList({ findings, running }: Props) {
  return (
    <ul className={classes['findings']}>
      {findings.map(({ check, level, message, url }) => {
        const { icon: Icon, name, color } = levels[level];
        return (
          <li key={`${check} ${url ?? ''}`} data-testid={`finding-${check}`} data-level={level}>
            <Icon size={22} color={color} role="img" aria-label={name} />
            <div>
              <strong>{labels[check]}</strong>
              <p>{message}</p>
            </div>
          </li>
        );
      })}
      {running.map((check) => (
        <li key={check}>
          <Loader size={20} aria-hidden />
          <div>
            <strong>{labels[check]}</strong>
            <p>Testing…</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
