/**
 * Tells systemd that the process is ready, that it stops, and, where the unit has `WatchdogSec=`, that its event loop still
 * runs. Node has no datagram sockets for Unix domains, so the program `systemd-notify` sends each message. Under another service
 * manager nothing happens.
 */
import { execFile } from 'node:child_process';
import type { Logger } from './logger.ts';

/** Two messages may be late or lost before systemd restarts the process. */
const PER_TIMEOUT = 3;
const MICROSECONDS = 1_000;

export interface ServiceManager {
  ready(): void;
  stopping(): void;
}

export function createServiceManager(env: NodeJS.ProcessEnv, log: Pick<Logger, 'warn'>): ServiceManager {
  if (!env.NOTIFY_SOCKET) return { ready() {}, stopping() {} };
  let hasFailed = false;

  function notify(...state: readonly string[]): void {
    execFile('systemd-notify', state, { env }, error => {
      if (error && !hasFailed) log.warn({ event: 'serviceManagerNotTold', reason: error.message });
      hasFailed = error !== null;
    });
  }

  return {
    ready() {
      notify('READY=1');
      const timeoutMs = Number(env.WATCHDOG_USEC ?? 0) / MICROSECONDS;
      if (timeoutMs > 0) setInterval(() => notify('WATCHDOG=1'), timeoutMs / PER_TIMEOUT).unref();
    },
    stopping: () => notify('STOPPING=1'),
  };
}
