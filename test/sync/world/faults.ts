// What goes wrong in a play: machines that die, relays that lose what they had, attackers, devices that are locked out.
import * as Y from 'yjs';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { updateFrame } from '../../../src/relay/frames.ts';
import { copyOfStore, type TestDevice } from '../../services/sync/device.ts';
import { copyOf, type Disk } from '../network.ts';
import type { AtRest } from './at-rest.ts';
import type { People } from './people.ts';
import type { Machine, World } from './world.ts';

export class Faults {
  attacks = 0;
  revocations = 0;
  readonly #world: World;
  readonly #people: People;
  readonly #atRest: AtRest;
  readonly #backups: Disk[] = [];

  constructor(world: World, people: People, atRest: AtRest) {
    this.#world = world;
    this.#people = people;
    this.#atRest = atRest;
  }

  /** After each turn: something goes wrong, now and then. */
  async disturb(): Promise<void> {
    const world = this.#world;
    const { machines, network, play } = world;
    const { is, isAlso, isSetBack, isAtRest } = world.wrongs;
    if (isAtRest) await this.#atRest.disturb((machine) => this.#setBack(machine));
    if (isSetBack && world.chance(0.25)) await this.#setBack(world.one(machines));
    if (isAlso('revoking') && this.revocations < 3 && world.chance(0.12)) await this.#revoke();
    if (isAlso('tabs') && world.chance(0.25)) world.one(machines).fuse = 1 + world.whole(25);
    if (is('crashes') && world.chance(0.25)) world.one(machines).fuse = 1 + world.whole(25);
    if (play.folds && is('crashes') && world.chance(0.5)) world.one(machines).doomed = true;
    if (is('storage-full') && world.chance(0.2)) {
      const machine = world.one(machines);
      machine.full = !machine.full;
    }
    if (is('offline') && world.chance(0.25)) {
      const machine = world.one(machines);
      if (machine.online) world.turnOff(machine);
      else world.turnOn(machine);
    }
    if (is('clocks') && world.chance(0.1)) world.one(machines).skew = world.anySkew();
    if (world.chance(0.2)) this.#backups.push(copyOf(network.disk));
    if (is('relay-kills', 'relay-empty', 'relay-backup') && world.chance(0.12)) await this.#killRelay();
    if (is('attacker') && world.chance(0.2)) {
      const ids = [...network.disk.rooms.keys()];
      if (ids.length > 0) {
        this.attacks += 1;
        await this.#attack(world.one(ids));
      }
    }
  }

  /**
   * Locks another device out. Tries as often as the app refuses because something is not
   * here yet: from the first moment on.
   */
  async lockOut(): Promise<void> {
    const { first, clockwork } = this.#world;
    const device = first.device as TestDevice;
    const lost = device.status.get().devices.find(({ here }) => !here)?.id ?? 'nobody';
    for (let tries = 0; ; tries += 1) {
      try {
        await this.#world.finished(device.sync.revoke(lost));
        this.revocations += 1;
        return;
      } catch (error) {
        if (tries > 600 || !(error instanceof RecollectError) || error.problem.code !== 'sync-unfetched')
          throw error;
        await clockwork.advance(200);
      }
    }
  }

  async #killRelay(): Promise<void> {
    const world = this.#world;
    const { network } = world;
    const { is } = world.wrongs;
    const { disk } = network;
    network.kill();
    await world.clockwork.advance(world.random() * 4000);
    const dice = world.random();
    if (is('relay-empty') && dice < 0.4) network.start({ rooms: new Map(), erased: new Set(disk.erased) });
    else if (is('relay-backup') && dice < 0.8 && this.#backups.length > 0)
      network.start({ ...copyOf(world.one(this.#backups)), erased: new Set(disk.erased) });
    else network.start(disk);
  }

  async #revoke(): Promise<void> {
    const world = this.#world;
    const { first } = world;
    if (!first.device || first.full) return;
    // While not everything is here the app refuses: a person waits for a while, and tries all the same.
    for (let waited = 0; waited < 8 && first.device?.status.get().state !== 'synced'; waited += 1)
      await world.clockwork.advance(500);
    if (!first.device) return;
    this.revocations += 1;
    const lost = first.device.status.get().devices.find(({ here }) => !here);
    // Most of the time killed in the middle of it.
    if (world.chance(0.7)) first.fuse = 1 + world.whole(30);
    await this.#people.attempt(first, (device) => device.sync.revoke(lost?.id ?? 'nobody'));
  }

  /**
   * Most of what was written since the copy is on the relay; what never leaves the
   * device is lost with it, as with any disk.
   */
  async #setBack(machine: Machine): Promise<void> {
    const world = this.#world;
    const { clockwork } = world;
    if (machine.locked) return;
    if (!machine.copy || world.chance(0.4)) {
      machine.copy = await copyOfStore(machine.disk?.below ?? machine.store);
      return;
    }
    world.turnOn(machine);
    await clockwork.advance(6000);
    const status = machine.device?.status.get();
    if (status?.state !== 'synced' || status.waiting > 0) return;
    this.#people.doubtExcluded();
    world.kill(machine);
    const disk = machine.disk?.over(machine.copy) ?? null;
    Object.assign(machine, { disk, store: disk?.store ?? machine.copy }, disk ? { vault: disk.vault } : {});
    machine.copy = await copyOfStore(machine.copy);
    // Most of the time a person writes to it before it hears anything of what it once knew.
    machine.online = world.chance(0.3);
    await clockwork.advance(3500);
    for (let number = world.whole(4); number > 0; number -= 1) await this.#people.act(machine);
    await clockwork.advance(500);
    world.turnOn(machine);
  }

  /**
   * An attacker with the token and a room's name sends junk, old or foreign blobs, deletes
   * everything, or reuses a device's client id.
   */
  async #attack(id: string): Promise<void> {
    const world = this.#world;
    const { rooms } = world.network.disk;
    const documentOf = (room: string): Y.Doc => {
      const doc = new Y.Doc();
      for (const { bytes } of rooms.get(room)?.updates ?? []) Y.applyUpdate(doc, bytes);
      return doc;
    };
    const stolen = documentOf(id);
    const array = stolen.getArray<unknown>('b');
    const before = Y.encodeStateVector(stolen);
    const garbage = (length: number) => Uint8Array.from({ length }, () => world.whole(256));
    const dice = world.random();
    if (dice < 0.25)
      array.insert(world.whole(array.length + 1), [
        garbage(100),
        Uint8Array.of(1, 0, ...garbage(80)),
        'no bytes',
        { a: 1 },
      ]);
    else if (dice < 0.45 && array.length > 0) array.delete(0, array.length);
    else if (dice < 0.6 && array.length > 0) {
      const blob = array.get(world.whole(array.length));
      if (blob instanceof Uint8Array) {
        const flipped = blob.slice();
        flipped[world.whole(flipped.length)] = world.whole(256);
        array.push([flipped, blob.slice(), blob.slice(0, world.whole(blob.length))]);
      }
    } else if (dice < 0.75) {
      const other = documentOf(world.one([...rooms.keys()]));
      array.push(
        other
          .getArray<unknown>('b')
          .toArray()
          .filter((item) => item instanceof Uint8Array),
      );
    } else if (dice < 0.9) {
      const clients = [...Y.decodeStateVector(before).keys()];
      if (clients.length > 0) {
        stolen.clientID = world.one(clients);
        array.push([garbage(64), garbage(64)]);
      }
    } else for (let number = 0; number < 100; number += 1) array.push([garbage(40)]);
    const update = Y.encodeStateAsUpdate(stolen, before);
    await world.finished(world.network.intrude(id, [updateFrame(update)]), 5);
  }
}
