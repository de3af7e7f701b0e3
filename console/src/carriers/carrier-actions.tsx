/** What an operator does to a carrier: test it, pause and resume it, have it connect at once. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CarrierLine } from '../../../src/operations/carriers.ts';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

/** It waits for a time before its next attempt. */
const CAN_HURRY: readonly CarrierLine['state'][] = ['connecting', 'slowed', 'down'];

/** The buttons, and what became of the last press. */
export function useCarrierActions({ name, paused, state }: Pick<CarrierLine, 'name' | 'paused' | 'state'>): {
  readonly buttons: ComponentChildren;
  readonly outcome: ComponentChildren;
} {
  const t = useWords();
  const action = useAction();
  const [tested, setTested] = useState<{ isOk: boolean; detail: string } | undefined>();
  const isDisabled = action.isRunning;
  const buttons = (
    <Needs least="operator">
      {paused ? (
        <Button
          isSmall
          icon="play"
          isDisabled={isDisabled}
          onPress={() => action.run(() => operate('POST /carriers/{name}/resume', { name }))}
        >
          {t.carriers.resume}
        </Button>
      ) : (
        <ConfirmButton
          label={t.carriers.pause}
          question={t.carriers.confirmPause}
          isDisabled={isDisabled}
          onConfirm={() => action.run(() => operate('POST /carriers/{name}/pause', { name }))}
          icon="pause"
        />
      )}
      {CAN_HURRY.includes(state) && (
        <Button
          kind="quiet"
          isSmall
          isDisabled={isDisabled}
          onPress={() => action.run(() => operate('POST /carriers/{name}/reconnect', { name }))}
        >
          {t.carriers.reconnect}
        </Button>
      )}
      <Button
        kind="quiet"
        isSmall
        isDisabled={isDisabled}
        onPress={() =>
          action.run(async () => setTested(await operate('POST /carriers/{name}/test', { name })))
        }
      >
        {t.carriers.test}
      </Button>
    </Needs>
  );
  const outcome = (
    <>
      {tested && (
        <p class={tested.isOk ? 'notice notice-good' : 'notice notice-bad'} role="status">
          {tested.detail}
        </p>
      )}
      <RefusalNotice refusal={action.refusal} />
    </>
  );
  return { buttons, outcome };
}
