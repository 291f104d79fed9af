import { expect } from 'vitest';
import { Parley } from '../../sdk/src/Parley.ts';
import type { ParticipantChanges } from '../../sdk/src/index.ts';
import type { BackendHost } from '../harness/clients/BackendHost.ts';
import { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { refused } from './conference.ts';

/** Scenarios in which a backend manages the participants of its rooms. */
export const roomParticipantScenarios: Record<string, (account: BackendHost) => Promise<void>> = {
  async 'are listed and read'({ backend, newRoom, guestIn, keep, server }) {
    const { id } = await newRoom();
    const { participant } = await guestIn(id, { displayName: 'Alice', metadata: 'seat 1' });
    expect(participant).toMatchObject({
      roomId: id,
      identity: 'alice',
      walletAddress: null,
      isGuest: true,
      displayName: 'Alice',
      role: 'participant',
      metadata: 'seat 1',
      grants: { canPublish: ['microphone', 'camera', 'screen'], canSubscribe: true },
      joinedAt: expect.any(Date) as Date,
    });
    expect(await backend.rooms.participant(id, participant.id)).toEqual(participant);
    const wallet = keep(await TestClient.signIn(server.url));
    await wallet.parley.conference.join({ roomId: id, displayName: 'Wallet' });
    const page = await backend.rooms.participants(id, { limit: 1 });
    expect(page).toMatchObject({
      data: [{ identity: wallet.address, walletAddress: wallet.address, isGuest: false, grants: null }],
      hasMore: true,
    });
    const cursor = page.nextCursor ?? '';
    expect((await backend.rooms.participants(id, { limit: 1, cursor })).data).toEqual([participant]);
    for (const identity of ['alice', wallet.address])
      expect((await backend.rooms.participants(id, { identity })).data).toMatchObject([{ identity }]);
    expect((await backend.rooms.participants(id, { identity: 'bob' })).data).toEqual([]);
    expect(await backend.rooms.get(id)).toMatchObject({
      status: 'active',
      participantCount: 2,
      participants: [{ identity: 'alice', isGuest: true, displayName: 'Alice' }, { displayName: 'Wallet' }],
    });
  },

  async 'are removed, and enter again only with a newer token'({ host, backend, newRoom, guestIn }) {
    const { id } = await newRoom();
    const { client, participant } = await guestIn(id);
    expect(await backend.rooms.removeParticipant(id, participant.id)).toEqual(participant);
    expect(await client.event('conference:removed')).toMatchObject({ reason: 'kicked' });
    expect(await refused(client.parley.conference.join(id))).toEqual(['ACCESS_DENIED', 'removed']);
    const gone = ['NOT_FOUND', 'not_found'];
    expect(await refused(backend.rooms.removeParticipant(id, participant.id))).toEqual(gone);
    expect(await refused(backend.rooms.muteParticipant(id, participant.id))).toEqual(gone);
    await guestIn(id);
    await host.parley.conference.join(id);
    const [own] = (await backend.rooms.participants(id, { identity: host.address })).data;
    expect(await refused(backend.rooms.removeParticipant(id, own?.id ?? ''))).toEqual([
      'CONFLICT',
      'conflict',
    ]);
  },

  async 'are muted, and may unmute themselves'({ backend, newRoom, deviceIn }) {
    const { id } = await newRoom();
    const device = await deviceIn(id);
    expect(await device.produce('microphone')).toBe('ok');
    await device.waitForSending('microphone');
    expect((await backend.rooms.muteParticipant(id, device.participant.id)).id).toBe(device.participant.id);
    await device.waitForSending();
    await device.events.first('conference:muted');
    expect(await device.ask('unmuteAudio')).toBe('ok');
    await device.waitForSending('microphone');
  },

  async 'stop sending what is no longer granted, and keep the rest'({ backend, newRoom, deviceIn }) {
    const { id } = await newRoom();
    const device = await deviceIn(id);
    for (const source of ['microphone', 'camera', 'screen'] as const)
      expect(await device.produce(source)).toBe('ok');
    await device.waitForSending('microphone', 'camera', 'screen');
    const grants = { canPublish: ['microphone' as const] };
    const changed = await backend.rooms.updateParticipant(id, device.participant.id, { grants });
    expect(changed.grants).toEqual({ ...grants, canSubscribe: true, canChat: true, canSendData: true });
    await device.waitForSending('microphone');
    expect(await device.produce('camera')).toBe('ACCESS_DENIED');
    expect(await device.ask('sendChat', { content: 'x' })).toBe('ok');
    await backend.rooms.updateParticipant(id, device.participant.id, { grants: { canChat: false } });
    expect(await device.ask('sendChat', { content: 'x' })).toBe('ACCESS_DENIED');
    await backend.rooms.updateParticipant(id, device.participant.id, { role: 'viewer' });
    await device.waitForSending();
    expect(await device.produce('microphone')).toBe('ACCESS_DENIED');
  },

  async 'join the media again when their right to receive changes'({ backend, newRoom, deviceIn }) {
    const { id } = await newRoom();
    const [sender, receiver] = [await deviceIn(id), await deviceIn(id, { identity: 'receiver' })];
    expect(await sender.produce('microphone')).toBe('ok');
    await receiver.events.first('media:consumer');
    const change = (canSubscribe: boolean) =>
      backend.rooms.updateParticipant(id, receiver.participant.id, { grants: { canSubscribe } });
    await change(false);
    await receiver.events.first('media:restarted');
    expect(await receiver.rejoinMedia()).toEqual([]);
    await change(true);
    await until(() => receiver.events.all('media:restarted').length === 2, 'the media restarts again');
    expect(await receiver.rejoinMedia()).toMatchObject([{ source: 'microphone' }]);
  },

  async 'stop sending what the room no longer allows'({ backend, newRoom, deviceIn }) {
    const { id } = await newRoom();
    const device = await deviceIn(id);
    for (const source of ['microphone', 'camera', 'screen'] as const) await device.produce(source);
    await device.waitForSending('microphone', 'camera', 'screen');
    await backend.rooms.update(id, { settings: { allowScreenShare: false } });
    await device.waitForSending('microphone', 'camera');
    await backend.rooms.update(id, { video: false });
    await device.waitForSending('microphone');
    expect(await device.produce('camera')).toBe('ACCESS_DENIED');
  },

  async 'are renamed, also for those who enter again, until they have another token'({
    backend,
    newRoom,
    guestIn,
    keep,
    server,
  }) {
    const { id } = await newRoom();
    const { client, participant, token } = await guestIn(id);
    const changes = { displayName: 'Dr. Alice', metadata: 'moved', role: 'host' } as const;
    expect(await backend.rooms.updateParticipant(id, participant.id, changes)).toMatchObject(changes);
    expect(await client.event('conference:participant:updated')).toMatchObject({
      id: participant.id,
      ...changes,
    });
    const again = keep(new Parley({ baseUrl: server.url, participantToken: token }));
    await again.conference.join(id);
    expect(await backend.rooms.participant(id, participant.id)).toMatchObject(changes);
    await again.conference.leave(id);
    await again.conference.join(id);
    const entered = async () => (await backend.rooms.participants(id)).data[0];
    expect(await entered()).toMatchObject(changes);
    const { token: newer } = await backend.rooms.createToken(id, { identity: 'alice' });
    await keep(new Parley({ baseUrl: server.url, participantToken: newer })).conference.join(id);
    expect(await entered()).toMatchObject({ displayName: 'alice', metadata: null, role: 'participant' });
  },

  async 'have grants only if they are guests, and the host stays a host'({ host, backend, newRoom }) {
    const { id } = await newRoom();
    await host.parley.conference.join(id);
    const [own] = (await backend.rooms.participants(id)).data;
    const change = (changes: ParticipantChanges) =>
      backend.rooms.updateParticipant(id, own?.id ?? '', changes);
    const guestsOnly = await refused(change({ grants: { canChat: false } }));
    expect(guestsOnly).toEqual(['VALIDATION_ERROR', 'validation_failed']);
    expect(await refused(change({ role: 'viewer' }))).toEqual(['CONFLICT', 'conflict']);
    expect(await change({ displayName: 'Host' })).toMatchObject({ displayName: 'Host' });
  },
};
