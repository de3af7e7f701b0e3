/** A form that does one thing: fields, the button that does it, and why it was refused. */
import type { ComponentChildren } from 'preact';
import type { Role } from '../../../src/domain/operator/role.ts';
import { useAction } from '../gateway/use-action.ts';
import { Button } from './button.tsx';
import { Needs } from './needs.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

export function Form(props: {
  /** On the button. */
  submit: string;
  onSubmit: () => Promise<unknown>;
  /** Whether enough is filled in. */
  isReady?: boolean;
  /** It cannot be undone. */
  isDanger?: boolean;
  /** It changes nothing. */
  isRead?: boolean;
  /** Fields and button in one row. */
  isInline?: boolean;
  /** The role that it needs. */
  least?: Role;
  label?: string;
  class?: string;
  /** Beside the button: what became of it. */
  said?: ComponentChildren;
  /** Beside the button: other ways out. */
  others?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { isReady = true, isInline = false, least } = props;
  const { run, refusal, isRunning } = useAction({ isRead: props.isRead ?? false });
  const classes = [isInline && 'inline-form', props.class].filter(Boolean).join(' ');
  const button = (
    <Button kind={props.isDanger ? 'danger' : 'main'} isSubmit isDisabled={isRunning || !isReady}>
      {props.submit}
    </Button>
  );
  const fields = (
    <>
      {props.children}
      {isInline ? (
        button
      ) : (
        <div class="form-end">
          {button}
          {props.others}
          <span role="status" class="muted">
            {props.said}
          </span>
        </div>
      )}
    </>
  );
  return (
    <>
      <form
        class={classes || undefined}
        aria-label={props.label}
        onSubmit={event => {
          event.preventDefault();
          run(props.onSubmit);
        }}
      >
        {least ? <Needs least={least}>{fields}</Needs> : fields}
        {!isInline && <RefusalNotice refusal={refusal} />}
      </form>
      {isInline && <RefusalNotice refusal={refusal} />}
    </>
  );
}
