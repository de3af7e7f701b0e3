/** A button. `main` is the one thing to do next, `quiet` one of several, `danger` what cannot be undone. */
import type { ComponentChildren, RefObject } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps {
  readonly kind?: 'main' | 'quiet' | 'danger';
  readonly isSmall?: boolean;
  readonly icon?: IconName;
  readonly isDisabled?: boolean;
  /** Sends the form that it is in. */
  readonly isSubmit?: boolean;
  readonly onPress?: () => void;
  readonly class?: string;
  /** Where the words on it do not tell which one it is. */
  readonly label?: string;
  readonly isExpanded?: boolean;
  readonly controls?: string;
  readonly keys?: string;
  readonly at?: RefObject<HTMLButtonElement | null>;
  readonly children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind, isSmall, icon } = props;
  const classes = ['button', kind && `button-${kind}`, isSmall && 'button-small', props.class];
  return (
    <button
      ref={props.at ?? null}
      type={props.isSubmit ? 'submit' : 'button'}
      class={classes.filter(Boolean).join(' ')}
      disabled={props.isDisabled}
      aria-label={props.label}
      aria-expanded={props.isExpanded}
      aria-controls={props.controls}
      aria-keyshortcuts={props.keys}
      onClick={() => props.onPress?.()}
    >
      {icon ? (
        <>
          <Icon name={icon} /> {props.children}
        </>
      ) : (
        props.children
      )}
    </button>
  );
}

/** A button that is an icon; its label is read to people. */
export function IconButton(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={props.label}
      disabled={props.isDisabled}
      onClick={() => props.onPress()}
    >
      <Icon name={props.icon} />
    </button>
  );
}
