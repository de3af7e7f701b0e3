/** A gateway whose minutes are shorter (MINUTE_MS), so that its sweeps come as often as a suite wants. Prints its address. */
import { openGateway } from '../../src/composition/gateway.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';

const MINUTE_MS = 60_000;
const factor = Number(process.env.MINUTE_MS ?? MINUTE_MS) / MINUTE_MS;
const clock: Clock = {
  ...systemClock,
  schedule: (delayMs, task) => systemClock.schedule(delayMs < MINUTE_MS ? delayMs : delayMs * factor, task),
};
const gateway = await openGateway(loadConfig({ BONGSU_LOG: 'warn', ...process.env }, CHANNELS), { clock });
await gateway.prepareSandbox();
await gateway.start();
process.on('SIGTERM', async () => {
  await gateway.close();
  process.exit();
});
process.stdout.write(`${await gateway.listen({ host: '127.0.0.1', port: 0 })}\n`);
